import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import express from "express";
import { readConfig } from "../../src/config.ts";
import { listen } from "../../src/http/listener.ts";
import { sendBytes } from "../../src/http/send-bytes.ts";
import { eventually } from "../support/eventually.ts";
import { openSocket } from "../support/socket.ts";

const MIB = 1024 * 1024;
type Sent = {
  readonly url: string;
  outcome: Promise<string>;
  headersSent: () => boolean;
} & AsyncDisposable;

/** A server that sends its only response with `send`. `outcome` says whether that succeeded. */
async function responding(
  send: (res: ServerResponse, gone: AbortSignal) => Promise<unknown>,
  { length, stallMs = 60_000 }: { length: number; stallMs?: number },
): Promise<Sent> {
  const { promise: outcome, resolve } = Promise.withResolvers<string>();
  let headersSent = false;
  const listener = await listen({ ...readConfig({ PORT: "0" }), IDLE_TIMEOUT_SECONDS: stallMs / 1_000 }, "1.0.0");
  const app = express().use((_req, res) => {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    res.setHeader("Content-Length", length);
    send(res, gone.signal).then(
      () => resolve("settled"),
      (error: Error) => {
        headersSent = res.headersSent;
        resolve(`rejected: ${error.message}`);
        res.destroy();
      },
    );
  });
  listener.serve(app);
  return {
    url: `http://127.0.0.1:${listener.port}`,
    outcome,
    headersSent: () => headersSent,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

const sending = (bytes: Readable, options: { length: number; stallMs?: number }) =>
  responding((res, gone) => sendBytes({ res, record: { sentBytes: 0 } }, bytes, gone), options);

/** A connection that sends a request, and reads nothing until the test lets it. */
const ask = (url: string) => openSocket(url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").pause();

function* chunks(count: number, bytes = 64 * 1024) {
  for (let sent = 0; sent < count; sent++) yield Buffer.alloc(bytes, sent % 251);
}

it("sendBytes sends every byte of a stream, with chunks of any size", async () => {
  for (const [count, bytes] of [
    [0, 0],
    [1, 1],
    [100, 10],
    [100, 64 * 1024],
  ] as const) {
    await using sent = await sending(Readable.from(chunks(count, bytes), { objectMode: false }), { length: count * bytes });
    const body = Buffer.from(await (await fetch(sent.url)).arrayBuffer());
    expect(body.equals(Buffer.concat([...chunks(count, bytes)]))).toBe(true);
    expect(await sent.outcome).toBe("settled");
  }
});

it("sendBytes rejects before sending headers if the stream fails at once, so that a problem can be sent", async () => {
  const bytes = new Readable({
    read() {
      this.destroy(new Error("EIO"));
    },
  });
  await using sent = await sending(bytes, { length: 100 });
  await fetch(sent.url).catch(() => undefined);
  expect(await sent.outcome).toBe("rejected: EIO");
  expect(sent.headersSent()).toBe(false);
});

it("sendBytes rejects if the stream fails in the middle or ends before its length", async () => {
  const breaking = Readable.from(
    (function* () {
      yield Buffer.alloc(10);
      throw new Error("EIO");
    })(),
    { objectMode: false },
  );
  for (const [bytes, outcome] of [
    [breaking, "rejected: EIO"],
    [Readable.from([Buffer.alloc(10)]), "rejected: A body of 100 bytes ended after 10."],
  ] as const) {
    await using sent = await sending(bytes, { length: 100 });
    expect(
      await fetch(sent.url)
        .then((it) => it.text())
        .catch(() => "cut"),
    ).toBe("cut");
    expect(await sent.outcome).toBe(outcome);
    expect(sent.headersSent()).toBe(true);
  }
});

it("sendBytes resolves and destroys the stream if the client disconnects, before or after the first byte", async () => {
  for (const bytes of [
    new Readable({
      read() {
        /* There are never any bytes. */
      },
    }),
    Readable.from(chunks(1_000), { objectMode: false }),
  ]) {
    await using sent = await sending(bytes, { length: 1_000 * 64 * 1024 });
    const socket = ask(sent.url);
    await eventually("the arrival of the request", () => bytes.listenerCount("readable") > 0 || bytes.readableDidRead);
    socket.destroy();
    expect(await sent.outcome).toBe("settled");
    expect(bytes.destroyed).toBe(true);
  }
});

/** The two ways in which the service sends a response, with `length` bytes. */
const WAYS = {
  "a stream": (length: number) => (res: ServerResponse, gone: AbortSignal) =>
    sendBytes({ res, record: { sentBytes: 0 } }, Readable.from(chunks(length / (64 * 1024)), { objectMode: false }), gone),
  "one large write": (length: number) => (res: ServerResponse, gone: AbortSignal) =>
    once(res.end(Buffer.alloc(length)), "finish", { signal: gone }),
};

describe.each(Object.entries(WAYS))("a client that receives %s", (_what, sendingOf) => {
  it("is disconnected if it reads nothing or too slowly", async () => {
    for (const bytesEach of [0, 1_024]) {
      const length = 64 * MIB;
      await using sent = await responding(sendingOf(length), { length, stallMs: 500 });
      const socket = ask(sent.url);
      const reading = setInterval(
        () => void (bytesEach > 0 && socket.read(Math.min(bytesEach, socket.readableLength))),
        50,
      ).unref();
      await sent.outcome;
      clearInterval(reading);
      expect(socket.bytesRead).toBeLessThan(length);
      socket.destroy();
    }
  });

  it.concurrent("stays connected if it reads slowly, but at least 64 KiB within each timeout", async () => {
    const length = 48 * MIB;
    await using sent = await responding(sendingOf(length), { length, stallMs: 2_000 });
    const socket = ask(sent.url);
    // So slowly that the whole response takes several times the stall timeout.
    const bytesPerMs = length / 7_000;
    const begunMs = performance.now();
    let read = 0;
    const closed = once(socket, "close");
    socket.on("data", ({ length: bytes }) => {
      read += bytes;
      // Only a client ahead of this pace waits: on a busy machine, one that read in fixed intervals would be slower than it.
      const aheadMs = read / bytesPerMs - (performance.now() - begunMs);
      if (aheadMs < 1 || read >= length) return;
      socket.pause();
      setTimeout(() => socket.resume(), aheadMs).unref();
    });
    socket.resume();
    await Promise.race([closed, eventually("the whole response read", () => read >= length, 90_000)]);
    expect(read).toBeGreaterThanOrEqual(length);
    expect(performance.now() - begunMs).toBeGreaterThan(6_000);
    expect(await sent.outcome).toBe("settled");
    socket.destroy();
  });
});
