import { etagOf } from "../../src/util/etag.ts";
import { resolve, type Contract } from "../../src/contract/bundle.ts";
import type { Operation } from "../../src/contract/operations.ts";

type Json = { readonly [key: string]: unknown };
type Header = { readonly required?: boolean; readonly example?: string | number };
type Asked = { readonly path: Readonly<Record<string, string>>; readonly header: Readonly<Record<string, string | undefined>> };
type Answer = { readonly operation: Operation; readonly input: Asked; readonly status: string; readonly value: Json | undefined };

/** Headers that the HTTP layer adds. */
const SENT_BY_HTTP = ["X-Request-Id", "API-Version", "Cache-Control", "WWW-Authenticate"];

/** Headers that are not required, and the responses that have them. */
const CALLED_FOR: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  "Retry-After": (it) => ["queued", "processing"].includes(String(it?.["status"])) || it?.["code"] === "idempotency_in_progress",
  "Upload-Limit": () => true,
  "X-Robots-Tag": () => true,
  "Referrer-Policy": () => true,
  "Content-Disposition": () => true,
};

/** The declared headers of a response, with their examples or, where one example can't fit all responses, a fitting value. */
export function headersFor(
  contract: Contract,
  declared: Readonly<Record<string, Json>>,
  answer: Answer,
): Record<string, string | number> {
  const named = Object.entries(declared).map(([name, header]) => [name, resolve<Header>(contract, header)] as const);
  const sent = named.filter(([name, it]) =>
    it.required === true ? !SENT_BY_HTTP.includes(name) : CALLED_FOR[name]?.(answer.value),
  );
  return Object.fromEntries(sent.map(([name, it]) => [name, fitted(contract, name, answer) ?? it.example ?? ""]));
}

function fitted(
  contract: Contract,
  name: string,
  { operation, input: { path, header }, status, value }: Answer,
): string | number | null {
  // With one tag for all states, a polling client would get 304 forever.
  if (name === "ETag" && value !== undefined) return etagOf(value);
  // With 202, the upload is complete.
  if (name === "Upload-Complete" && status === "202") return "?1";
  const sentBytes = header["Content-Length"];
  if (name === "Upload-Offset" && status.startsWith("2") && sentBytes !== undefined)
    return Number(header["Upload-Offset"] ?? 0) + Number(sentBytes);
  if (name !== "Location" || status === "302") return null;
  const asked = operation.path
    .replace(/\/transfer$/, "")
    .replaceAll(/\{(\w+)\}/g, (_all, parameter: string) => path[parameter] ?? "");
  if (operation.method !== "post" || (value !== undefined && !("id" in value))) return asked;
  return status === "204"
    ? `${asked}/${exampleId(contract, `${operation.path}/{job_id}`)}/transfer`
    : `${asked}/${String(value?.["id"])}`;
}

/** The 204 of a resumable upload has no body with an id. The id is the first parameter, as in every operation. */
function exampleId(contract: Contract, path: string): string {
  const { parameters } = contract.paths[path]!["get"] as { readonly parameters: readonly Json[] };
  return resolve<{ readonly example: string }>(contract, parameters[0]!).example;
}
