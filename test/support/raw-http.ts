import { once } from "node:events";
import { request, type ClientRequest, type IncomingHttpHeaders } from "node:http";
import type { Client } from "./client.ts";
import { findOperation } from "./contract.ts";
import { witness } from "./witness.ts";

export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether the service sent 100 Continue. */
  readonly wasAsked: boolean;
  /** How many bytes of the body had been written to the connection when the response began. */
  readonly bytesSent: number;
};

type RawRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer> | Iterable<Buffer>;
  readonly untilAsked?: boolean;
};

/**
 * Sends a request in ways that `fetch` can't: it can wait for 100 Continue, or read a response while it sends the body.
 * Compares the response with the contract, as always.
 */
export async function rawRequest(client: Client, url: string, wanted: RawRequest): Promise<RawAnswer> {
  const answer = await exchange(client, url, wanted);
  const operation = findOperation(wanted.method, wanted.path);
  if (operation !== null) witness(operation, { ...answer, head: wanted.method === "HEAD" });
  return answer;
}

function exchange(
  client: Client,
  url: string,
  { method, path, headers = {}, body = [], untilAsked = false }: RawRequest,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, {
      method,
      agent: false,
      headers: { ...(client.authorization === undefined ? {} : { Authorization: client.authorization }), ...headers },
    });
    const state = { wasAsked: false, bytesSent: 0, answered: false };
    outgoing.on("continue", () => {
      state.wasAsked = true;
      if (untilAsked) void writeAll(outgoing, body, state);
    });
    // The service can close the connection before it has read the whole body. If there is a response, only that counts.
    outgoing.on("error", (error) => {
      if (!state.answered) setTimeout(() => reject(error), 500).unref();
    });
    outgoing.on("response", (incoming) => {
      state.answered = true;
      const { bytesSent } = state;
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      incoming.on("error", reject).on("end", () => {
        outgoing.destroy();
        resolve({
          status: incoming.statusCode!,
          headers: headersOf(incoming.headers),
          text,
          wasAsked: state.wasAsked,
          bytesSent,
        });
      });
    });
    if (untilAsked) outgoing.flushHeaders();
    else void writeAll(outgoing, body, state);
  });
}

async function writeAll(
  outgoing: ClientRequest,
  body: NonNullable<RawRequest["body"]>,
  state: { bytesSent: number; answered: boolean },
): Promise<void> {
  outgoing.flushHeaders();
  for await (const chunk of body) {
    if (state.answered || outgoing.destroyed) return;
    const goesOn = outgoing.write(chunk);
    state.bytesSent += chunk.length;
    if (!goesOn) await drained(outgoing);
  }
  outgoing.end();
}

/** Resolves when the connection accepts more bytes, or has ended. */
async function drained(outgoing: ClientRequest): Promise<void> {
  const over = new AbortController();
  await Promise.race(["drain", "close", "response"].map((event) => once(outgoing, event, { signal: over.signal }))).catch(
    () => undefined,
  );
  over.abort();
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** `count` zero bytes, in chunks of 64 KiB that share one buffer. */
export function* zeros(count: number): Generator<Buffer> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let left = count; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk;
}
