import { hash } from "node:crypto";
import { resolve, type Contract } from "../../../src/contract/bundle.ts";
import type { Operation } from "../../../src/contract/operations.ts";

/** A request made from the examples in the contract, for all languages. */
export type SampleRequest = {
  /** The method in upper case. */
  readonly method: string;
  /** The path, with the examples of its parameters, and the required ones of the query. */
  readonly path: string;
  readonly needsToken: boolean;
  /** The media type of the body, and the headers that the operation requires, with their examples. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The same in each language and each run, so that repeating a sample returns the first response. */
  readonly idempotencyKey: string | null;
  readonly body: { readonly json: object } | { readonly file: string } | null;
  /** Whether to show the text of the response, to show its `Location`, or to write its bytes to a file. */
  readonly answer: "text" | "location" | { readonly file: string };
};

type Json = { readonly [key: string]: unknown };
type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly example?: unknown };
type Content = Readonly<Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>>;

const UPLOADED_FILES: Readonly<Record<string, string>> = {
  "application/octet-stream": "clip.mp4",
  "application/partial-upload": "rest-of-clip.mp4",
};
const DOWNLOADED_FILES: Readonly<Record<string, string>> = {
  "image/jpeg": "poster.jpg",
  "video/mp4": "rendition.mp4",
  "application/octet-stream": "original.mp4",
};

/** A request with all required parts, and with an idempotency key if the operation accepts one, so that it is safe to retry. */
export function sampleRequest(contract: Contract, operation: Operation): SampleRequest {
  const item = contract.paths[operation.path]!;
  const raw = item[operation.method] as Json & {
    readonly parameters?: readonly Json[];
    readonly requestBody?: Json;
    readonly responses: Readonly<Record<string, Json>>;
  };
  const parameters = [...((item["parameters"] ?? []) as Json[]), ...(raw.parameters ?? [])].map((it) =>
    resolve<Parameter>(contract, it),
  );
  const exampleOf = (name: string) => {
    const example = parameters.find((it) => it.name === name)?.example;
    if (typeof example !== "string" && typeof example !== "number")
      throw new Error(`${operation.id}: the parameter ${name} needs an example for the code samples.`);
    return String(example);
  };
  const required = parameters.filter((it) => it.required === true && it.in !== "path" && it.name !== "Idempotency-Key");
  const query = required.filter((it) => it.in === "query").map((it) => [it.name, exampleOf(it.name)]);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(exampleOf(name)));
  const body = bodyOf(contract, operation, raw.requestBody);
  return {
    method: operation.method.toUpperCase(),
    path: query.length === 0 ? path : `${path}?${new URLSearchParams(query).toString()}`,
    needsToken: operation.scopes !== null,
    headers: [
      ...(operation.body === null ? [] : ([["Content-Type", operation.body]] as const)),
      ...required.filter((it) => it.in === "header").map((it) => [it.name, exampleOf(it.name)] as const),
    ],
    idempotencyKey: parameters.some((it) => it.name === "Idempotency-Key") ? keyOf(operation.id, body) : null,
    body,
    answer: answerOf(contract, operation, raw.responses),
  };
}

/** A UUID of version 8 (RFC 9562) for a request. */
function keyOf(...request: readonly unknown[]): string {
  const digest = hash("sha256", JSON.stringify(request));
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-a$4-$5");
}

function bodyOf(contract: Contract, operation: Operation, requestBody: Json | undefined): SampleRequest["body"] {
  if (requestBody === undefined) return null;
  const file = UPLOADED_FILES[operation.body ?? ""];
  if (file !== undefined) return { file };
  const [example] = Object.values(
    resolve<{ content: Content }>(contract, requestBody).content["application/json"]?.examples ?? {},
  );
  if (example === undefined) throw new Error(`${operation.id}: the request body needs an example for the code samples.`);
  return { json: example.value };
}

function answerOf(contract: Contract, operation: Operation, responses: Readonly<Record<string, Json>>): SampleRequest["answer"] {
  const status = Object.keys(responses).find((it) => /^[23]/.test(it));
  if (status === undefined) throw new Error(`${operation.id}: declare a 2xx or 3xx response.`);
  if (status.startsWith("3")) return "location";
  const [media] = Object.keys(resolve<{ content?: Content }>(contract, responses[status]!).content ?? {});
  if (media === undefined || media === "application/json") return "text";
  const file = DOWNLOADED_FILES[media];
  if (file === undefined) throw new Error(`${operation.id}: the code samples can't store ${media}. Extend sample-request.ts.`);
  return { file };
}
