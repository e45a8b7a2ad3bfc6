import { createHash, randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { request, type ClientRequest } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { seededRandom } from "../support/seed.ts";
import { sha256Of, storedFiles } from "../support/videos.ts";

const MIB = 1024 * 1024;
const PARTIAL = { "Content-Type": "application/partial-upload" };

const deployment = prepareForEach(createDeployment);

/** A request whose body the test writes itself. Its connection may break. */
function open(client: Client, url: string, method: string, headers: Record<string, string>): ClientRequest {
  return request(url, {
    method,
    agent: false,
    headers: { Authorization: client.authorization!, "Upload-Draft-Interop-Version": "8", ...headers },
  }).on("error", () => undefined);
}
const idIn = (location: string) => location.split("/")[2]!;
const offsetOf = async (client: Client, location: string) => {
  const { status, headers } = await client("HEAD", location);
  expect(status).toBe(204);
  return Number(headers.get("upload-offset"));
};
const append = (client: Client, location: string, offset: number, isLast: boolean, bytes: Uint8Array) =>
  client("PATCH", location, bytes, {
    headers: { ...PARTIAL, "Upload-Offset": String(offset), "Upload-Complete": isLast ? "?1" : "?0" },
  });
/** What the database counts, without a request for the offset, which would record more. */
const recorded = async (location: string) =>
  Number((await deployment.db.partialUpload.findUniqueOrThrow({ where: { id: idIn(location) } })).offsetBytes);

describe("a resumable upload whose service is killed", () => {
  /** The bytes in files of the store that are not in `before`: what a service has received since then. */
  async function receivedSince(before: ReadonlySet<string>): Promise<number> {
    const files = (await storedFiles(deployment)).filter((it) => !before.has(it));
    const sizes = await Promise.all(
      files.map((it) =>
        stat(join(deployment.dataDir, it)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.reduce((sum, it) => sum + it, 0);
  }

  it("loses at most 4 MiB of what the service had received, at each of ten random moments in 40 MB", async () => {
    const random = seededRandom("moments at which the service is killed");
    const bytes = randomBytes(40_000_000);
    let running = await deployment.start("api");
    let ada = await deployment.as();
    let location = "";
    let offset = 0;
    const lost: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      const { url } = await running.ready();
      const left = bytes.length - offset;
      // The service is killed at a random share of what is left, so that the last kill is near the end.
      const moment = Math.min(left - 1, 1 + random(Math.ceil((2 * left) / (10 - kill))));
      const before = new Set(await storedFiles(deployment));
      const outgoing: ClientRequest =
        location === ""
          ? open(ada, `${url}/video-uploads`, "POST", {
              "Content-Type": "application/octet-stream",
              "Upload-Complete": "?1",
              "Content-Length": String(left),
            })
          : open(ada, `${url}${location}`, "PATCH", {
              ...PARTIAL,
              "Upload-Offset": String(offset),
              "Upload-Complete": "?1",
              "Content-Length": String(left),
            });
      outgoing.on("information", ({ headers }) => void (location = String(headers["location"])));
      outgoing.write(bytes.subarray(offset, offset + Math.min(left - 1, moment + MIB)));
      await eventually("a number of bytes received", async () => (await receivedSince(before)) >= moment, 60_000, 2);
      running.child.kill("SIGKILL");
      await running.exited;
      outgoing.destroy();
      const received = offset + (await receivedSince(before));
      running = await deployment.start("api");
      ada = deployment.asAgain(ada);
      const resumed = await offsetOf(ada, location);
      expect(resumed).toBeGreaterThanOrEqual(offset);
      expect(resumed).toBeLessThanOrEqual(received);
      lost.push(received - resumed);
      offset = resumed;
    }
    process.stderr.write(`bytes lost at each kill: ${lost.join(", ")}\n`);
    expect(Math.max(...lost)).toBeLessThanOrEqual(4 * MIB);
    const last = await append(ada, location, offset, true, bytes.subarray(offset));
    expect(last).toMatchObject({ status: 202, body: { size_bytes: bytes.length, sha256: sha256Of(bytes) } });
    const { objectKey } = await deployment.db.videoUpload.findUniqueOrThrow({ where: { id: last.body.id } });
    expect(sha256Of(await readFile(join(deployment.dataDir, "objects", "objects", objectKey)))).toBe(sha256Of(bytes));
  }, 300_000);

  it("keeps what a slow client has sent, two seconds after it has arrived", async () => {
    const first = await deployment.start("api");
    const ada = await deployment.as();
    const bytes = randomBytes(600_000);
    const begun = await ada("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    const location = begun.headers.get("location")!;
    const outgoing = open(ada, `${(await first.ready()).url}${location}`, "PATCH", {
      ...PARTIAL,
      "Upload-Offset": "0",
      "Upload-Complete": "?1",
      "Content-Length": "1000000",
    });
    outgoing.write(bytes);
    await eventually("the bytes on record", async () => (await recorded(location)) === bytes.length);
    first.child.kill("SIGKILL");
    await first.exited;
    outgoing.destroy();
    await deployment.start("api");
    expect(await append(deployment.asAgain(ada), location, bytes.length, true, Buffer.alloc(1))).toMatchObject({
      status: 202,
      body: { sha256: sha256Of(Buffer.concat([bytes, Buffer.alloc(1)])) },
    });
  }, 120_000);
});

describe("a resumable upload in two processes", () => {
  it("continues in one at the offset that it has reported, while the other still receives later bytes", async () => {
    const first = await deployment.start("api");
    const there = await deployment.as();
    await deployment.start("api");
    const here = deployment.asAgain(there);
    const [beginning, later, other] = [randomBytes(6 * MIB), randomBytes(6 * MIB), randomBytes(MIB)];
    const begun = await there("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    const location = begun.headers.get("location")!;
    const stale = open(there, `${(await first.ready()).url}${location}`, "PATCH", {
      ...PARTIAL,
      "Upload-Offset": "0",
      "Upload-Complete": "?0",
      "Content-Length": String(30 * MIB),
    });
    const staleStatus = new Promise<number>((resolve) => {
      stale.on("response", (it) => resolve(it.resume().statusCode!)).on("close", () => resolve(0));
    });
    stale.write(beginning);
    await eventually("a first piece on record", async () => (await recorded(location)) > 0);
    const known = await offsetOf(here, location);
    expect(known).toBeGreaterThan(3 * MIB);
    stale.write(later);
    await eventually("a later piece on record", async () => (await recorded(location)) > known);
    expect(await append(here, location, known, false, other)).toMatchObject({ status: 204 });
    stale.write(later);
    // The process that has lost the upload notices it with its next piece.
    expect(await staleStatus).toBe(409);
    expect(await offsetOf(here, location)).toBe(known + MIB);
    const last = await append(here, location, known + MIB, true, other);
    const whole = createHash("sha256").update(beginning.subarray(0, known)).update(other).update(other).digest("hex");
    expect(last).toMatchObject({ status: 202, body: { size_bytes: known + 2 * MIB, sha256: whole } });
    const files = (await storedFiles(deployment, "objects")).filter((it) => it.includes(idIn(location)));
    expect(files).toEqual([expect.stringContaining("/joined/")]);
  }, 120_000);
});
