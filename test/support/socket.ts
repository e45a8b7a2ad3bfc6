import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { declaredResponse, flawsOf, operations } from "./contract.ts";
import type { Body } from "./client.ts";

/** A response as it was sent. */
export type WireAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly body: Body;
};
/** All responses on one connection, and whether the service has closed it. */
export type Exchange = { readonly answers: readonly WireAnswer[]; readonly isClosed: boolean; readonly tookMs: number };

/** Opens a connection, and sends bytes unchanged. A reset is also an end: what arrived before it counts. */
export function openSocket(url: string, bytes: string | Buffer, from: { readonly localAddress?: string } = {}): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...from }).on("error", () => undefined);
  socket.write(bytes);
  return socket;
}

/** Disconnects clients, and waits until their connections have ended. */
export async function leave(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(sockets.map(async (it) => it.closed || once(it.destroy(), "close")));
}

/** Bytes, or a promise of bytes that are sent later. */
type Part = string | Buffer | Promise<string>;

type Options = {
  /** The pause between the parts. */
  readonly pauseMs?: number;
  /** How many responses to wait for if the service doesn't close the connection. Interim responses don't count. */
  readonly expected?: number;
  readonly timeoutMs?: number;
};

/** Sends bytes unchanged. Resolves when the service has closed the connection, or has sent the expected number of responses. */
export function exchange(
  url: string,
  parts: Part | readonly Part[],
  { pauseMs = 0, expected = Infinity, timeoutMs = 60_000 }: Options = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url);
    const startedMs = performance.now();
    const socket = connect(Number(port), hostname);
    let received = "";
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      if (!isClosed) socket.destroy();
      resolve({ answers: answersIn(received), isClosed, tookMs: performance.now() - startedMs });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`The connection is still open after ${timeoutMs} ms, with ${JSON.stringify(received.slice(0, 500))}.`));
    }, timeoutMs);
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      received += String(text);
      if (answersIn(received).filter((it) => it.status >= 200).length >= expected) finish(false);
    });
    // A reset is also an end. What arrived before it counts.
    socket.on("error", () => undefined);
    socket.on("close", () => finish(true));
    void sendAll(socket, [parts].flat(), pauseMs);
  });
}

async function sendAll(socket: Socket, parts: readonly Part[], pauseMs: number): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
    const bytes = await part;
    if (socket.destroyed) return;
    socket.write(bytes);
  }
}

/** The complete responses in a stream, by Content-Length, because the service never sends JSON in chunks. */
export function answersIn(stream: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = stream; ;) {
    const [whole, line, head] = /^(HTTP\/1\.1 \d{3}[^\r\n]*)\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
    if (whole === undefined || line === undefined || head === undefined) return answers;
    const headers = new Map(
      head.split("\r\n").map((it) => [it.slice(0, it.indexOf(":")).toLowerCase(), it.slice(it.indexOf(":") + 1).trim()]),
    );
    const begin = whole.length;
    const length = Number(headers.get("content-length") ?? 0);
    if (rest.length < begin + length) return answers;
    const text = Buffer.from(rest.slice(begin, begin + length), "latin1").toString();
    answers.push({
      status: Number(line.split(" ")[1]),
      headers,
      text,
      body: /json/.test(headers.get("content-type") ?? "") ? JSON.parse(text) : undefined,
    });
    rest = rest.slice(begin + length);
  }
}

/** What is wrong with the problem document of a refusal, and with the headers that every response has. Empty if it is correct. */
export function flawsOfProblem({ status, headers, body }: WireAnswer): string[] {
  const { content } = declaredResponse(operations[0]!, "default")!;
  const flaw = flawsOf(content["application/problem+json"]!.schema, body);
  const wanted = {
    "access-control-allow-origin": /^\*$/,
    "access-control-expose-headers": /\bX-Request-Id\b/,
    "content-security-policy": /default-src 'none'/,
    "cross-origin-opener-policy": /^same-origin$/,
    "cross-origin-resource-policy": /^cross-origin$/,
    "referrer-policy": /^no-referrer$/,
    "strict-transport-security": /^max-age=31536000; includeSubDomains$/,
    "x-content-type-options": /^nosniff$/,
    "x-frame-options": /^SAMEORIGIN$/,
    "cache-control": /^no-store$/,
    "api-version": /^\d+\.\d+\.\d+$/,
    "content-type": /^application\/problem\+json\b/,
  };
  return [
    ...(flaw === null ? [] : [flaw]),
    ...(body?.status === status ? [] : [`it says status ${body?.status}`]),
    ...(body?.request_id === headers.get("x-request-id") ? [] : ["its request_id is not that of the header"]),
    ...Object.entries(wanted)
      .filter(([name, form]) => !form.test(headers.get(name) ?? ""))
      .map(([name]) => `the header ${name} is ${headers.get(name)}`),
  ];
}
