import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import express from "express";
import { readConfig } from "../../src/config.ts";
import { listen } from "../../src/http/listener.ts";
import { sendBytes } from "../../src/http/send-bytes.ts";
import { eventually } from "../support/eventually.ts";

const MIB = 2 ** 20;
const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const ask = (port: number) => connect(port, "127.0.0.1").on("error", () => undefined);

it("a download is read only as fast as its client reads it, so that it holds a few megabytes at most", async () => {
  let readBytes = 0;
  const file = function* () {
    for (; readBytes < 128 * MIB; readBytes += MIB) yield Buffer.alloc(MIB);
  };
  const handle: RequestListener = (_req, res) => {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    void sendBytes({ res, record: { sentBytes: 0 } }, Readable.from(file(), { objectMode: false }), gone.signal);
  };
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = ask((server.address() as AddressInfo).port).pause();
  socket.write(REQUEST);
  let before = -1;
  await eventually(
    "a download that waits",
    () => (readBytes > 0 && readBytes === before) || ((before = readBytes), false),
    10_000,
    100,
  );
  expect(readBytes).toBeLessThan(32 * MIB);
  socket.destroy();
  server.close();
  await once(server, "close");
});

it("bytes that aren't HTTP end a response that has begun, and no second one is written into it", async () => {
  const listener = await listen(readConfig({ PORT: "0" }), "1.0.0");
  listener.serve(express().use((_req, res) => void res.writeHead(200, { "Content-Length": 100 }).write("the beginning")));
  const socket = ask(listener.port).setEncoding("utf8");
  let text = "";
  socket.on("data", (part: string) => {
    if (text === "") socket.write("nonsense\r\n\r\n");
    text += part;
  });
  socket.write(REQUEST);
  await once(socket, "close");
  expect(text).toMatch(/the beginning$/);
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  await listener.close();
});
