import type { SampleRequest } from "./sample-request.ts";

/** The request as a command for any POSIX shell. */
export function curlSample({ method, path, needsToken, headers, idempotencyKey, body, answer }: SampleRequest): string {
  // -i prints the status and the headers before the body, so it can't be used for a file.
  const show = typeof answer === "object" ? `-D - -o ${answer.file}` : "-i";
  const lines = [`curl ${show}${method === "GET" ? "" : ` -X ${method}`} "$API${path}"`];
  if (needsToken) lines.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of headers) lines.push(`-H "${name}: ${value}"`);
  if (idempotencyKey !== null) lines.push(`-H "Idempotency-Key: ${idempotencyKey}"`);
  if (body !== null)
    lines.push(
      "file" in body
        ? `--data-binary @${body.file}`
        : `-d '${JSON.stringify(body.json, null, 2).replaceAll("'", String.raw`'\''`)}'`,
    );
  return lines.join(" \\\n  ");
}
