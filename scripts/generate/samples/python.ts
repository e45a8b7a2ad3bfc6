import { indented } from "./indented.ts";
import type { SampleRequest } from "./sample-request.ts";

const SHOW_REDIRECT = `class ShowRedirect(HTTPRedirectHandler):
    def http_error_302(self, request, response, code, message, headers):
        return response
`;

/** The request with Python's standard library. */
export function pythonSample({ method, path, needsToken, headers: others, idempotencyKey, body, answer }: SampleRequest): string {
  const isJson = body !== null && "json" in body;
  const headers: string[] = [];
  if (needsToken) headers.push('"Authorization": "Bearer " + os.environ["KEY"],');
  for (const [name, value] of others) headers.push(`"${name}": "${value}",`);
  if (idempotencyKey !== null) headers.push(`"Idempotency-Key": "${idempotencyKey}",`);

  const options = [`os.environ["API"] + "${path}",`];
  if (method !== "GET") options.push(`method="${method}",`);
  if (headers.length > 0) options.push(`headers={\n    ${indented(headers.join("\n"), "    ")}\n},`);
  if (isJson) options.push(`data=json.dumps(${literal(body.json)}).encode(),`);
  if (body !== null && "file" in body) options.push(`data=Path("${body.file}").read_bytes(),`);

  const usesPath = typeof answer === "object" || (body !== null && "file" in body);
  const redirect = answer === "location";
  return [
    ...(isJson ? ["import json"] : []),
    "import os",
    ...(usesPath ? ["from pathlib import Path"] : []),
    `from urllib.request import ${redirect ? "HTTPRedirectHandler, Request, build_opener" : "Request, urlopen"}`,
    "",
    ...(redirect ? [SHOW_REDIRECT] : []),
    `request = Request(\n    ${indented(options.join("\n"), "    ")}\n)`,
    `with ${redirect ? "build_opener(ShowRedirect).open" : "urlopen"}(request) as response:`,
    ...shown(answer).map((line) => `    ${line}`),
  ].join("\n");
}

function shown(answer: SampleRequest["answer"]): string[] {
  if (answer === "text") return ["print(response.status, response.read().decode())"];
  if (answer === "location") return ['print(response.status, response.headers["Location"])'];
  return ["print(response.status)", `Path("${answer.file}").write_bytes(response.read())`];
}

/** A JSON value as a Python literal. */
function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return block("[", value.map(literal), "]");
  if (typeof value === "object")
    return block(
      "{",
      Object.entries(value).map(([name, it]) => `"${name}": ${literal(it)}`),
      "}",
    );
  return JSON.stringify(value);
}

const block = (open: string, lines: readonly string[], close: string) =>
  `${open}\n    ${indented(lines.map((it) => `${it},`).join("\n"), "    ")}\n${close}`;
