import type { Contract } from "../../../src/contract/bundle.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import { curlSample } from "./curl.ts";
import { goSample } from "./go.ts";
import { pythonSample } from "./python.ts";
import { sampleRequest, type SampleRequest } from "./sample-request.ts";
import { typescriptSample } from "./typescript.ts";

/** One entry of `x-codeSamples`. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

/** The languages of the samples, each with nothing but its standard library, in the order in which readers see them. */
export const SAMPLE_LANGUAGES = ["curl", "TypeScript", "Python", "Go"] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

const WRITERS: Readonly<Record<SampleLanguage, (request: SampleRequest) => string>> = {
  curl: curlSample,
  TypeScript: typescriptSample,
  Python: pythonSample,
  Go: goSample,
};

/** The operation called in every language. A sample finds the service in the variable API and the token in KEY. */
export function codeSamples(contract: Contract, operation: Operation): CodeSample[] {
  const request = sampleRequest(contract, operation);
  return SAMPLE_LANGUAGES.map((lang) => ({ lang, label: lang, source: WRITERS[lang](request) }));
}
