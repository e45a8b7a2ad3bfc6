import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { leave, openSocket } from "../support/socket.ts";

const PERMITS = 16;
const UPLOADS_OF_USER = 4;
const UPLOADS = 8;
const LIMITS = {
  ROLE: "api",
  MAX_IN_FLIGHT: String(PERMITS),
  MAX_UPLOADS_IN_FLIGHT: String(UPLOADS),
  MAX_UPLOADS_PER_USER: String(UPLOADS_OF_USER),
};
const LEAVERS = 1_000;

const sockets: Socket[] = [];
afterEach(() => leave(sockets.splice(0)));

function send(service: TestService, message: string): Socket {
  const socket = openSocket(service.url, message);
  sockets.push(socket);
  return socket;
}

const VIDEO = "Content-Type: application/octet-stream\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const message = (line: string, authorization: string | undefined, headers = "") =>
  `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${headers}\r\n`;
/** A request whose body the service waits for, so that it keeps its permits until the client disconnects. */
const waiting = (path: string, type: string) => (authorization: string | undefined) =>
  message(`POST ${path}`, authorization, `${type}Content-Length: 100\r\nExpect: 100-continue\r\n`);
const upload = waiting("/video-uploads", VIDEO);
const post = waiting("/posts", JSON_TYPE);

/** The first status of a response: 100 if the request got all its permits, or the status of a refusal. */
async function firstStatus(socket: Socket): Promise<number> {
  const [head] = (await once(socket, "data")) as [Buffer];
  return Number(head.toString().split(" ")[1]);
}

/**
 * Takes all permits of each kind at once, and releases them. Throws if one of them is never free. The service may notice only
 * after a moment that the last clients have disconnected.
 */
async function expectAllFree(service: TestService, users: readonly Client[]): Promise<void> {
  for (const messages of [
    users.flatMap(({ authorization }) => Array.from({ length: UPLOADS_OF_USER }, () => upload(authorization))),
    Array.from({ length: PERMITS }, () => post(users[0]!.authorization)),
  ]) {
    await eventually("every permit free", async () => {
      const taking = messages.map((it) => send(service, it));
      const statuses = await Promise.all(taking.map(firstStatus));
      await leave(taking);
      return statuses.every((it) => it === 100);
    });
  }
}

it("without a permit, a request gets 503 that scripts of other origins can read, and the health operations still work", async () => {
  await using service = await startTestService({ ...LIMITS, CORS_ORIGINS: "https://app.example" });
  const ada = await service.as();
  for (let taken = 0; taken < PERMITS; taken++) expect(await firstStatus(send(service, post(ada.authorization)))).toBe(100);
  const { status, headers } = await ada("GET", "/posts", undefined, { headers: { Origin: "https://app.example" } });
  expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
    status: 503,
    "access-control-allow-origin": "https://app.example",
    "access-control-expose-headers": expect.stringContaining("Retry-After"),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  for (const path of ["/health", "/health/live"]) expect(await service.anonymous()("GET", path)).toMatchObject({ status: 200 });
});

it("a client that disconnects during authentication releases every permit", async () => {
  await using service = await startTestService(LIMITS);
  const ada = await service.as();
  await using keys = await hold(service.databaseUrl, 'LOCK TABLE "api_keys" IN ACCESS EXCLUSIVE MODE');
  const leavers = Array.from({ length: UPLOADS_OF_USER }, () => send(service, upload(ada.authorization)));
  await keys.blocks(1);
  await leave(leavers);
  // The service handles this request after the disconnects, so it has noticed them.
  await service.anonymous()("GET", "/u/nothing-here");
  await keys.release();
  await expectAllFree(service, [ada, await service.as()]);
});

it(`every permit is free after ${LEAVERS} clients have disconnected at random moments of various requests`, async () => {
  const random = seededRandom("leavers");
  await using service = await startTestService(LIMITS);
  const users = await Promise.all(Array.from({ length: 100 }, () => service.as()));
  const requests = [
    upload,
    (it: string | undefined) =>
      message("POST /video-uploads?name=a", it, `${VIDEO}Content-Length: 100000\r\n`) + "x".repeat(1_000),
    post,
    (it: string | undefined) =>
      message("POST /posts", it, `${JSON_TYPE}Content-Length: 29\r\n`) + '{"title":"One","body":"Two"}\n',
    (it: string | undefined) => message("GET /posts?limit=100", it),
    (it: string | undefined) => message("GET /notifications", it),
    (it: string | undefined) => message("GET /account", `${it}x`),
    () => message("GET /u/nothing-here", "none"),
    () => message("GET /docs/redoc.standalone.js", "none"),
  ];
  let left = 0;
  const comeAndGo = async () => {
    while (left < LEAVERS) {
      left++;
      const { authorization } = users[random(users.length)]!;
      const socket = send(service, requests[random(requests.length)]!(authorization));
      // The moment is random: before the connection is open, while the service reads the key, or while it responds.
      const moment = random(4);
      if (moment === 1) await once(socket, "connect");
      if (moment === 2) await new Promise((done) => setTimeout(done, random(12)));
      if (moment === 3) await Promise.race([once(socket, "data"), new Promise((done) => setTimeout(done, 40))]);
      await leave([socket]);
    }
  };
  await Promise.all(Array.from({ length: 12 }, comeAndGo));
  // The last clients have just disconnected, and the service may not have noticed yet.
  await eventually("a response", async () => (await users[0]!("GET", "/account")).status === 200);
  await expectAllFree(service, users.slice(0, UPLOADS / UPLOADS_OF_USER));
});
