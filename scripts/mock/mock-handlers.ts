import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Handlers, ProblemCode } from "../../src/contract/contract.ts";
import { Failure, type FailureData } from "../../src/failure.ts";
import { resolve, type Contract } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { sendWith } from "./example-headers.ts";
import { headersFor } from "./headers.ts";
import { createJobs, type Jobs } from "./jobs.ts";
import { asPage, pageAskedFor } from "./pages.ts";
import { preferenceApplied, preferencesIn, requireKnown } from "./preferences.ts";

type Json = { readonly [key: string]: unknown };
type Responses = Readonly<Record<string, Json>>;
type Described = { readonly responses: Responses; readonly "x-stability"?: string };
type Response = {
  readonly "x-stability"?: string;
  readonly headers?: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { readonly value: Json }>> }>>;
};
type Input = {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, string | undefined>>;
};
type Output = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly onSend?: () => void;
};
type Headers = Output["headers"];

const CLIP = join(import.meta.dirname, "../../src/demo/clip.mp4");
/** The smallest valid JPEG. */
const PICTURE = Buffer.from(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
  "base64",
);
const BYTES: Readonly<Record<string, () => Readable>> = {
  "image/jpeg": () => Readable.from([PICTURE]),
  "video/mp4": () => createReadStream(CLIP),
  "text/vtt": () => Readable.from(["WEBVTT\n"]),
  "application/octet-stream": () => createReadStream(CLIP),
};
/** By the extension in the path, for an operation that returns several media types. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { jpg: "image/jpeg", mp4: "video/mp4", vtt: "text/vtt" };

/**
 * Handlers that return the examples in the contract. A client can choose another response with `Prefer: code=404` or
 * `Prefer: example=by_offset` (RFC 7240).
 */
export function mockHandlers(contract: Contract, operations: readonly Operation[]): Handlers {
  const jobs = createJobs();
  // There is one for each operation, but the type of `fromEntries` doesn't show that.
  return Object.fromEntries(
    operations.map((it) => [it.id, async (input: Input) => answer(contract, jobs, it, input)]),
  ) as unknown as Handlers;
}

function answer(contract: Contract, jobs: Jobs, operation: Operation, input: Input): Output {
  const described = contract.paths[operation.path]![operation.method] as Described;
  const { responses } = described;
  const wanted = preferencesIn(input.header["Prefer"]);
  requireKnown(
    wanted.code,
    Object.keys(responses).filter((it) => it !== "default"),
    `In the contract, ${operation.id} has no status`,
  );
  const status = wanted.code ?? usualStatus(contract, responses, input);
  const response = resolve<Response>(contract, responses[status]!);
  const { headers = {}, content = {} } = response;
  const wantedType = MEDIA_TYPES[/\.(\w+)$/.exec(input.path["file"] ?? "")?.[1] ?? ""];
  const media = wantedType !== undefined && wantedType in content ? wantedType : Object.keys(content)[0];
  const body = content[media ?? ""];
  const examples = new Map(Object.entries(body?.examples ?? {}).map(([name, it]) => [name, it.value]));
  requireKnown(wanted.example, [...examples.keys()], `In the contract, the ${status} of ${operation.id} has no example`);

  const example = examples.get(wanted.example ?? usualExample(jobs, operation, input, examples));
  const value = asPage(operation, input.query, example) as Json | undefined;
  const sent = {
    ...headersFor(contract, headers, { operation, input, status, value }),
    ...preferenceApplied(wanted),
    ...stability(described["x-stability"] ?? response["x-stability"]),
  };
  if (Number(status) >= 400) {
    sendWith(sent);
    throw problem(value);
  }

  if (value?.["status"] === "queued") jobs.begin(String(value["id"]));
  const bytes = BYTES[media ?? ""];
  return {
    status: Number(status),
    headers: sent,
    ...(operation.id === "getVideoUpload" && wanted.example === null ? { onSend: () => jobs.seen(input.path["job_id"]!) } : {}),
    ...(bytes ? { body: { contentType: media, open: async () => bytes() } } : value ? { body: value } : {}),
  };
}

/** The first success with a body, or else the first success; 204 for a resumable upload that is not complete. */
function usualStatus(contract: Contract, responses: Responses, { header }: Input): string {
  const successes = Object.keys(responses).filter((it) => /^[23]/.test(it));
  if (header["Upload-Complete"] === "?0" && successes.includes("204")) return "204";
  return successes.find((it) => resolve<Response>(contract, responses[it]!).content !== undefined) ?? successes[0]!;
}

/** The example that fits the request best, or else the first one. */
function usualExample(jobs: Jobs, operation: Operation, { path, query }: Input, examples: ReadonlyMap<string, Json>): string {
  const [first = ""] = examples.keys();
  if (operation.id === "getVideoUpload" && examples.has("processing")) return jobs.stateOf(path["job_id"]!);
  return pageAskedFor(operation, query, examples) ?? first;
}

/** Marks a response that can change in a minor version: COMPATIBILITY.md, section 9. */
const stability = (mark: string | undefined): Headers => (mark === undefined ? {} : { "X-Stability": mark });

function problem(example: Json | undefined): Failure {
  const { code, detail, errors } = example as { code: ProblemCode; detail: string } & Pick<FailureData, "errors">;
  return new Failure(code, detail, errors ? { errors } : {});
}
