import { connect, type Socket } from "node:net";
import type { Client } from "../../support/client.ts";

/** A connection on which a request has been sent, maybe in part. */
export type OpenRequest = {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  /** What the service has sent. */
  text(): string;
};

/** Sends a request as bytes, and leaves its connection open. */
export function openRequest(
  client: Client,
  url: string,
  [method, path, headers]: readonly [method: string, path: string, headers: Readonly<Record<string, string>>],
  body: Uint8Array,
  version = "1.1",
): OpenRequest {
  const { port, hostname } = new URL(url);
  let text = "";
  const { promise: closed, resolve } = Promise.withResolvers();
  const socket = connect(Number(port), hostname)
    .setEncoding("latin1")
    .on("data", (it: string) => (text += it))
    .on("error", () => undefined)
    .on("close", resolve);
  socket.write(headOf(client, method, path, headers, version));
  socket.write(body);
  return { socket, closed, text: () => text };
}

/** The request line and the headers of a request. */
export function headOf(
  client: Client,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  version = "1.1",
): string {
  const fields = { Host: "x", Authorization: client.authorization!, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/${version}`, ...lines].join("\r\n")}\r\n\r\n`;
}

/** Bytes as a chunk, in three parts: its size, the bytes, and its end (RFC 9112, 7.1). */
export const chunkOf = (bytes: Uint8Array) => [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")];

/** The statuses of all responses, interim ones included. */
export const statusesIn = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map((it) => Number(it[1]));
