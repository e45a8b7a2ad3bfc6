import type { Contract } from "../../../src/contract/bundle.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import { curlSample } from "./curl.ts";
import { goSample } from "./go.ts";
import { pythonSample } from "./python.ts";
import { sampleRequest, type SampleRequest } from "./sample-request.ts";
import { typescriptSample } from "./typescript.ts";

/** One entry of `x-codeSamples`. */
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };

/** The languages of the samples, in the order of the reference. Samples use only the standard library. */
export const SAMPLE_LANGUAGES = ["curl", "TypeScript", "Python", "Go"] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

const WRITERS: Readonly<Record<SampleLanguage, (request: SampleRequest) => string>> = {
  curl: curlSample,
  TypeScript: typescriptSample,
  Python: pythonSample,
  Go: goSample,
};

/** A sample in every language. Samples read the URL of the service from the variable API, and the token from KEY. */
export function codeSamples(contract: Contract, operation: Operation): CodeSample[] {
  const request = sampleRequest(contract, operation);
  return SAMPLE_LANGUAGES.map((lang) => ({ lang, label: lang, source: WRITERS[lang](request) }));
}
