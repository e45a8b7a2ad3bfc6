import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { readConfig } from "../../src/config.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { playbackOf } from "../support/playback.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { leave, openSocket } from "../support/socket.ts";
import { storeResult } from "../support/stored-result.ts";
import { upload, uploadPath } from "../support/videos.ts";

/** More than the buffers of a connection hold. */
const BYTES = Buffer.alloc(24 * 2 ** 20);
const ATTEMPTS = 40;
/** As many as one caller can have. */
const READS = 16;
const LIMITS = {
  MAX_IN_FLIGHT: 64,
  MAX_IN_FLIGHT_PER_USER: READS,
  MAX_IN_FLIGHT_PER_ADDRESS: READS,
  MAX_DOCUMENTS_IN_FLIGHT: 32,
};
/** An eighth of the default limits, for clients that are disconnected soon and begin again. */
const SETTINGS = { ...mapValues((limit) => String(limit)), ROLE: "api", IDLE_TIMEOUT_SECONDS: "1" };
function mapValues<T>(of: (limit: number) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, of(limit)]));
}

/** A request whose response is never read, and the address that it comes from. */
type SlowRead = { readonly message: string; readonly localAddress?: string };

const sockets: Socket[] = [];
afterEach(() => leave(sockets.splice(0)));

/** Sends a request, and reads no more than the status of its response. */
async function readSlowly({ url }: TestService, { message, ...from }: SlowRead): Promise<number> {
  const socket = openSocket(url, message, from).pause();
  sockets.push(socket);
  await Promise.race([once(socket, "readable"), once(socket, "close")]);
  const status = Number(String(socket.read(12)).split(" ")[1]);
  if (status !== 200) socket.destroy();
  return status;
}

/** Sends `count` slow reads of each attacker at once. Returns how many of them got a response with content. */
async function attack(service: TestService, attackers: readonly SlowRead[], count: number): Promise<number> {
  const reads = Array.from({ length: count * attackers.length }, (_, n) => attackers[n % attackers.length]!);
  return (await Promise.all(reads.map((it) => readSlowly(service, it)))).filter((status) => status === 200).length;
}

/** Attacks, and calls `ask` often, until as many slow readers as were disconnected have begun again. Returns the statuses of `ask`. */
async function askDuring(service: TestService, attackers: readonly SlowRead[], ask: () => Promise<{ readonly status: number }>) {
  const begun = await attack(service, attackers, READS);
  expect(begun).toBeGreaterThan(READS);
  const statuses: number[] = [];
  for (let again = 0; again < READS || statuses.length < ATTEMPTS;) {
    again += await attack(service, attackers, 1);
    statuses.push((await ask()).status);
  }
  return new Set(statuses);
}

const storeVideo = (service: TestService, owner: Client) =>
  storeResult(service, owner, createFileStore(join(service.dataDir, "objects")), BYTES);
const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
/** This machine has all addresses of 127.0.0.0/8, and the service sees them as those of different clients. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3"];
const PART = { headers: { Range: "bytes=0-9" } };

const users = async (service: TestService) => {
  const store = async (owner: Client) => `${uploadPath(await upload(owner, BYTES))}/original`;
  const [eve, mallory, ada] = [await service.as(), await service.as(), await service.as()];
  const attackers = await Promise.all(
    [eve, mallory].map(async (user) => ({ message: get(await store(user), `Authorization: ${user.authorization}\r\n`) })),
  );
  const original = await store(ada);
  return { attackers, ask: () => ada("GET", original, undefined, PART) };
};

const addresses = async (service: TestService) => {
  const ada = await service.as();
  const { renditions } = await playbackOf(ada, await storeVideo(service, ada));
  const { href } = renditions[0]!;
  const attackers = ADDRESSES.map((localAddress) => ({ message: get(href), localAddress }));
  return { attackers, ask: () => service.anonymous()("GET", href, undefined, PART) };
};

describe("as many slow reads as two callers can have don't stop the reads of others", () => {
  it("with limits that are an eighth of the default ones", () => {
    expect(readConfig({})).toMatchObject(mapValues((limit) => 8 * limit));
  });

  it.each([
    ["users", users],
    ["addresses with playback links", addresses],
  ])("downloads, if they are %s that begin again when they are cut", async (_who, prepareAttack) => {
    await using service = await startTestService(SETTINGS);
    const { attackers, ask } = await prepareAttack(service);
    expect(await askDuring(service, attackers, ask)).toEqual(new Set([206]));
  });

  it("documents", async () => {
    await using service = await startTestService(SETTINGS);
    const message = get("/docs/redoc.standalone.js").repeat(16);
    const attackers = ADDRESSES.map((localAddress) => ({ message, localAddress }));
    const ask = () => service.anonymous()("GET", "/openapi.yaml");
    expect(await askDuring(service, attackers, ask)).toEqual(new Set([200]));
  });
});
