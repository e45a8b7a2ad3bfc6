import { indented } from "./indented.ts";
import type { SampleRequest } from "./sample-request.ts";

const PANIC = "if err != nil {\n\tpanic(err)\n}";

/** The request as a whole Go program, with the standard library. */
export function goSample({ method, path, needsToken, headers, idempotencyKey, body, answer }: SampleRequest): string {
  const imports = new Set(["fmt", "net/http", "os"]);
  const lines: string[] = [];
  if (body !== null && "file" in body) lines.push(`body, err := os.Open("${body.file}")`, PANIC);
  if (body !== null && "json" in body) {
    imports.add("strings");
    lines.push(`body := strings.NewReader(${rawString(JSON.stringify(body.json, null, 2))})`);
  }
  lines.push(
    `request, err := http.NewRequest("${method}", os.Getenv("API")+"${path}", ${body === null ? "nil" : "body"})`,
    PANIC,
  );
  if (needsToken) lines.push('request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))');
  for (const [name, value] of headers) lines.push(`request.Header.Set("${name}", "${value}")`);
  if (idempotencyKey !== null) lines.push(`request.Header.Set("Idempotency-Key", "${idempotencyKey}")`);
  // Uses the transport, because the client would follow a redirect.
  lines.push(
    `response, err := ${answer === "location" ? "http.DefaultTransport.RoundTrip" : "http.DefaultClient.Do"}(request)`,
    PANIC,
    "defer response.Body.Close()",
  );
  if (answer === "location") {
    lines.push('fmt.Println(response.StatusCode, response.Header.Get("Location"))');
  } else {
    imports.add("io");
    lines.push("content, err := io.ReadAll(response.Body)", PANIC);
    if (answer === "text") lines.push("fmt.Println(response.StatusCode, string(content))");
    else
      lines.push(
        "fmt.Println(response.StatusCode)",
        `if err := os.WriteFile("${answer.file}", content, 0o644); err != nil {\n\tpanic(err)\n}`,
      );
  }
  return [
    "package main",
    "",
    "import (",
    ...[...imports].sort().map((it) => `\t"${it}"`),
    ")",
    "",
    "func main() {",
    `\t${lines.map((line) => (line.includes("`") ? line : indented(line, "\t"))).join("\n\t")}`,
    "}",
  ].join("\n");
}

/** A raw string can have line breaks. Text with backquotes needs the other kind of string. */
const rawString = (text: string) => (text.includes("`") ? JSON.stringify(text) : `\`${text}\``);
