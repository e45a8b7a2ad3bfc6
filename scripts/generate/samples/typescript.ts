import { indented } from "./indented.ts";
import type { SampleRequest } from "./sample-request.ts";

/** The request with the `fetch` of Node. */
export function typescriptSample({
  method,
  path,
  needsToken,
  headers: others,
  idempotencyKey,
  body,
  answer,
}: SampleRequest): string {
  const headers: string[] = [];
  if (needsToken) headers.push("Authorization: `Bearer ${KEY}`,");
  for (const [name, value] of others) headers.push(`"${name}": "${value}",`);
  if (idempotencyKey !== null) headers.push(`"Idempotency-Key": "${idempotencyKey}",`);

  const options: string[] = [];
  if (method !== "GET") options.push(`method: "${method}",`);
  if (headers.length > 0) options.push(`headers: {\n  ${indented(headers.join("\n"), "  ")}\n},`);
  if (body !== null)
    options.push("file" in body ? `body: await readFile("${body.file}"),` : `body: JSON.stringify(${literal(body.json)}),`);
  if (answer === "location") options.push('redirect: "manual",');

  const files = [...(body !== null && "file" in body ? ["readFile"] : []), ...(typeof answer === "object" ? ["writeFile"] : [])];
  const target = `\`\${API}${path}\``;
  return [
    ...(files.length > 0 ? [`import { ${files.join(", ")} } from "node:fs/promises";`, ""] : []),
    `const { API${needsToken ? ", KEY" : ""} } = process.env;`,
    "",
    options.length > 0
      ? `const response = await fetch(${target}, {\n  ${indented(options.join("\n"), "  ")}\n});`
      : `const response = await fetch(${target});`,
    ...shown(answer),
  ].join("\n");
}

/** A JSON value as a TypeScript literal, without quotes around names. */
const literal = (json: object) => JSON.stringify(json, null, 2).replaceAll(/^(\s*)"([a-z_]+)":/gm, "$1$2:");

function shown(answer: SampleRequest["answer"]): string[] {
  if (answer === "text") return ["console.log(response.status, await response.text());"];
  if (answer === "location") return ['console.log(response.status, response.headers.get("Location"));'];
  return ["console.log(response.status);", `await writeFile("${answer.file}", Buffer.from(await response.arrayBuffer()));`];
}
