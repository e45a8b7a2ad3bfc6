import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";

type Headers = Readonly<Record<string, string | number>>;
const answers = new AsyncLocalStorage<{ headers: Headers }>();

/** Lets what answers a request say, from anywhere within, which headers go out at last. */
export function withExampleHeaders(res: ServerResponse, answer: () => void): void {
  const answered = { headers: {} as Headers };
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  res.writeHead = (...args: unknown[]) => {
    for (const [name, value] of Object.entries(answered.headers)) res.setHeader(name, value);
    return writeHead(...args);
  };
  answers.run(answered, answer);
}

/** The headers of a problem's example: a Failure has data instead, of which the service makes some of them. */
export function sendWith(headers: Headers): void {
  answers.getStore()!.headers = headers;
}
