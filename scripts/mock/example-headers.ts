import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";

type Headers = Readonly<Record<string, string | number>>;
const answers = new AsyncLocalStorage<{ headers: Headers }>();

/** Runs `answer`, which can set the final headers of the response with `sendWith`. */
export function withExampleHeaders(res: ServerResponse, answer: () => void): void {
  const answered = { headers: {} as Headers };
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  res.writeHead = (...args: unknown[]) => {
    for (const [name, value] of Object.entries(answered.headers)) res.setHeader(name, value);
    return writeHead(...args);
  };
  answers.run(answered, answer);
}

/** Sets the headers of the response. A problem needs this: a Failure has no headers, only data for some of them. */
export function sendWith(headers: Headers): void {
  answers.getStore()!.headers = headers;
}
