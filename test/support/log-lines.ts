/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** The lines of JSON in the output of a service. */
export const linesIn = (output: string): LogLine[] =>
  output
    .split("\n")
    .filter((it) => it.startsWith("{") && it.endsWith("}"))
    .map((it) => JSON.parse(it) as LogLine);

/** The lines for requests, or for those with this path. */
export const requestsIn = (output: string, path?: string): LogLine[] =>
  linesIn(output).filter((it) => it.msg === "request" && (path === undefined || it["path"] === path));
