import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, it } from "@jest/globals";
import { besiege, endure, STANDING_SLOWDOWN_MAX, type Begun } from "./support/attack.ts";
import type { Client } from "../support/client.ts";
import { DOCUMENTS } from "../support/dearest.ts";
import { operations } from "../support/contract.ts";
import { exampleRequest } from "../support/example-requests.ts";
import { openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";
import { missingIds } from "../support/resources.ts";
import { sized } from "../support/size.ts";
import { leave, openSocket } from "../support/socket.ts";

/** How long attackers that stall or trickle stay: many times as long as an honest request takes. */
const STAY_MS = sized(3_000, 8_000);
/** All of them have begun before. */
const WARM_UP_MS = 500;

const service = prepare(besiege);
let attackers: readonly Client[];
beforeAll(async () => {
  attackers = await Promise.all(Array.from({ length: 8 }, () => service.as()));
  await using session = await openSession(service.databaseUrl);
  // A response that is too long for the buffers of a connection.
  await session.query(
    `INSERT INTO posts (id, author_id, title, body)
     SELECT gen_random_uuid(), author, 'Long', repeat('x', 10000) FROM unnest($1::uuid[]) AS author, generate_series(1, 100)`,
    [attackers.map((it) => it.userId)],
  );
}, 120_000);

const sockets: Socket[] = [];
function open(message: string | Buffer): Socket {
  const socket = openSocket(service.url, message);
  sockets.push(socket);
  return socket;
}

const of = <T>(all: readonly T[], index: number): T => all[index % all.length]!;
const get = (path: string, { authorization }: Client) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`;

/** A request to every operation, from the examples in the contract. `bodyOf` decides how much of the body is sent. */
function requests(bodyOf: (body: Buffer) => { readonly sent: Buffer; readonly promised: number }): Buffer[] {
  return operations.map((operation, index) => {
    const { method, path, headers, body } = exampleRequest(operation, missingIds(operation));
    const whole = body === undefined ? null : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const { sent, promised } = whole === null ? { sent: Buffer.alloc(0), promised: 0 } : bodyOf(whole);
    const lines = Object.entries({
      ...headers,
      ...(whole === null ? {} : { "Content-Length": String(promised) }),
      Authorization: of(attackers, index).authorization,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`), sent]);
  });
}

const endured = (attack: (stayMs: number, begun: Begun) => Promise<unknown>) =>
  endure(service, (begun) => attack(STAY_MS, begun), {
    warmUp: (begun) => attack(WARM_UP_MS, begun),
    slowdownMax: STANDING_SLOWDOWN_MAX,
  });

it("clients that pipeline requests and do not read, on every path, do not affect other users", async () => {
  const paths = [
    ...DOCUMENTS,
    ...operations.filter((it) => it.method === "get").map((it) => exampleRequest(it, missingIds(it)).path),
  ];
  await endured(async (stayMs, begun) => {
    for (let index = 0; index < sized(1, 4) * paths.length; index++)
      open(get(of(paths, index), of(attackers, index)).repeat(sized(100, 500))).pause();
    for (const attacker of attackers) open(get(`/posts?limit=100&author=${attacker.userId}`, attacker).repeat(16)).pause();
    await begun();
    await delay(stayMs);
    await leave(sockets.splice(0));
  });
}, 300_000);

it("slow readers on every path and slow writers on every operation do not affect other users", async () => {
  const slow = () => requests((body) => ({ sent: body.subarray(0, 1), promised: body.length + 1_000 }));
  await endured(async (stayMs, begun) => {
    const readers = [...DOCUMENTS, `/posts?limit=100&author=${attackers[0]!.userId}`].flatMap((path, index) =>
      Array.from({ length: 4 }, () => open(get(path, of(attackers, index)).repeat(16)).pause()),
    );
    const writers = Array.from({ length: 4 }, () => slow().map((message) => open(message))).flat();
    // Headers can also arrive one letter at a time.
    for (let index = 0; index < 32; index++) writers.push(open("GET /account HTTP/1.1\r\nHost: x\r\nX-Slow: "));
    const trickle = setInterval(() => {
      for (const reader of readers) reader.read(Math.min(512, Math.max(1, reader.readableLength)));
      for (const writer of writers) if (writer.writable) writer.write(" ");
    }, 250);
    await begun();
    await delay(stayMs);
    clearInterval(trickle);
    await leave(sockets.splice(0));
  });
}, 300_000);
