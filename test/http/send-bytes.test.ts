import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { sendBytes } from "../../src/http/limits/slow-readers.ts";
import { eventually } from "../support/eventually.ts";

const MIB = 1024 * 1024;
type Sent = {
  readonly url: string;
  readonly port: number;
  outcome: Promise<string>;
  headersSent: () => boolean;
} & AsyncDisposable;

/** A server that answers its one request with these bytes; `outcome` is what became of the sending. */
async function sending(bytes: Readable, { length, stallMs = 60_000 }: { length: number; stallMs?: number }): Promise<Sent> {
  const { promise: outcome, resolve } = Promise.withResolvers<string>();
  let headersSent = false;
  const server = createServer((_req, res) => {
    res.setHeader("Content-Length", length);
    sendBytes(res, bytes, stallMs).then(
      () => resolve("settled"),
      (error: Error) => {
        headersSent = res.headersSent;
        resolve(`rejected: ${error.message}`);
        res.destroy();
      },
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    outcome,
    headersSent: () => headersSent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A connection that has asked, and reads nothing until it is told to. */
function ask(port: number) {
  const socket = connect(port, "127.0.0.1")
    .on("error", () => undefined)
    .pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return socket;
}

function* chunks(count: number, bytes = 64 * 1024) {
  for (let sent = 0; sent < count; sent++) yield Buffer.alloc(bytes, sent % 251);
}

it("sends every byte of a stream, whatever the sizes of its chunks", async () => {
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

it("rejects before anything has gone out when the stream breaks at once, so that there can be a problem instead", async () => {
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

it("rejects when the stream breaks in the middle, and when it ends before its length", async () => {
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

it("says nothing of a client that leaves, before the first byte or in the middle, and lets go of the stream", async () => {
  for (const bytes of [
    new Readable({
      read() {
        /* never has any */
      },
    }),
    Readable.from(chunks(1_000), { objectMode: false }),
  ]) {
    await using sent = await sending(bytes, { length: 1_000 * 64 * 1024 });
    const socket = ask(sent.port);
    await eventually("the request to have arrived", () => bytes.listenerCount("readable") > 0 || bytes.readableDidRead);
    socket.destroy();
    expect(await sent.outcome).toBe("settled");
    expect(bytes.destroyed).toBe(true);
  }
});

it("ends the connection of a client that reads nothing any more, and not of one that reads slowly", async () => {
  await using stalled = await sending(Readable.from(chunks(1_000), { objectMode: false }), {
    length: 1_000 * 64 * 1024,
    stallMs: 300,
  });
  const silent = ask(stalled.port);
  expect(await stalled.outcome).toBe("settled");
  silent.destroy();

  const length = 96 * MIB;
  await using slow = await sending(Readable.from(chunks(length / (64 * 1024)), { objectMode: false }), {
    length,
    stallMs: 2_000,
  });
  const socket = ask(slow.port);
  let read = 0;
  const begunMs = performance.now();
  // At a pace that takes several times as long as a standstill may.
  const reading = setInterval(() => {
    read += ((socket.read(256 * 1024) as Buffer | null) ?? (socket.read() as Buffer | null))?.length ?? 0;
  }, 20);
  await eventually("all of it read", () => read >= length, 90_000);
  clearInterval(reading);
  expect(performance.now() - begunMs).toBeGreaterThan(5_000);
  expect(await slow.outcome).toBe("settled");
  socket.destroy();
});
