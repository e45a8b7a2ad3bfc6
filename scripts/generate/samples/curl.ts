import type { SampleRequest } from "./sample-request.ts";

/** The request as one command of any POSIX shell. */
export function curlSample({ method, path, needsToken, headers, takesIdempotencyKey, body, answer }: SampleRequest): string {
  // -i shows the status and the headers; in front of bytes for a file they would spoil it.
  const show = typeof answer === "object" ? `-D - -o ${answer.file}` : "-i";
  const lines = [`curl ${show}${method === "GET" ? "" : ` -X ${method}`} "$API${path}"`];
  if (needsToken) lines.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of headers) lines.push(`-H "${name}: ${value}"`);
  // Not every system has uuidgen; the second and the shell make a key that is new whenever the sample is pasted again.
  if (takesIdempotencyKey) lines.push('-H "Idempotency-Key: $(date +%s)-$$"');
  if (body !== null)
    lines.push(
      "file" in body
        ? `--data-binary @${body.file}`
        : `-d '${JSON.stringify(body.json, null, 2).replaceAll("'", String.raw`'\''`)}'`,
    );
  return lines.join(" \\\n  ");
}
