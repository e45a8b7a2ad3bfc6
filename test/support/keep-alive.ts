import { connect, type Socket } from "node:net";

export type PlainAnswer = {
  readonly status: number;
  readonly connection: string | null;
  readonly retryAfterSeconds: number | null;
  readonly text: string;
};

/** A persistent connection, which sends each request after the previous response. Cheap enough for thousands of requests. */
export type PersistentConnection = {
  readonly socket: Socket;
  /** The response, or null if the connection ended without one. */
  ask(line: string, options?: { readonly headers?: string; readonly body?: string | Uint8Array }): Promise<PlainAnswer | null>;
};

/** Opens a connection. Every request has `headers`, each of which ends with CRLF. A text is sent as JSON. */
export function openPersistentConnection(url: string, headers = ""): PersistentConnection {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay().setEncoding("latin1");
  let received = "";
  let isClosed = false;
  let wake = (): void => undefined;
  socket.on("data", (text) => {
    received += String(text);
    wake();
  });
  socket.on("error", () => undefined);
  for (const end of ["end", "close"])
    socket.on(end, () => {
      isClosed = true;
      wake();
    });
  return {
    socket,
    async ask(line, { headers: more = "", body } = {}) {
      received = "";
      const type = typeof body === "string" ? "application/json" : "application/octet-stream";
      const length = body === undefined ? "" : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      const head = `${line} HTTP/1.1\r\nHost: x\r\n${headers}${more}${length}\r\n`;
      socket.write(body instanceof Uint8Array ? Buffer.concat([Buffer.from(head), body]) : `${head}${body ?? ""}`);
      for (;;) {
        const answer = parse(received);
        if (answer !== null) return answer;
        if (isClosed) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function parse(received: string): PlainAnswer | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = received.slice(0, end);
  const length = Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < end + 4 + length) return null;
  return {
    status: Number(head.split(" ")[1]),
    connection: /\nconnection: *(\S+)/i.exec(head)?.[1]?.toLowerCase() ?? null,
    retryAfterSeconds: Number(/\nretry-after: *(\d+)/i.exec(head)?.[1]) || null,
    text: received.slice(end + 4, end + 4 + length),
  };
}
