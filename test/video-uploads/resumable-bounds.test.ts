import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { storedFiles } from "../support/videos.ts";

const LEAST_BYTES = 256 * 1024;

describe("a resumable upload is limited", () => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: String(64 * 1024 * 1024) });
    ada = await service.as();
  });
  afterAll(() => service.close());

  async function begin(client = ada): Promise<{ id: string; location: string }> {
    const begun = await client("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    expect(begun.status).toBe(204);
    const location = begun.headers.get("location")!;
    return { id: location.split("/")[2]!, location };
  }
  const append = (location: string, offset: number, complete: "?0" | "?1", bytes: Uint8Array | ReadableStream) =>
    ada("PATCH", location, bytes, {
      headers: { "Content-Type": "application/partial-upload", "Upload-Offset": String(offset), "Upload-Complete": complete },
    });
  /** Adds rows for `count` pieces of one byte, without their objects. */
  async function addPieces(id: string, count: number): Promise<void> {
    await service.db.$executeRaw`
      INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
      SELECT ${id}::uuid, n, 'nowhere', 1, repeat('0', 64) FROM generate_series(1, ${count}::int) n`;
    await service.db.$executeRaw`
      UPDATE partial_uploads SET piece_count = ${count}::int, offset_bytes = ${count}::int WHERE id = ${id}::uuid`;
  }
  const tooShort = {
    status: 400,
    body: { code: "validation_failed", errors: [{ pointer: "/content-length", code: "minimum" }] },
  };

  it("in the size of its pieces, as Upload-Limit declares: only a hundred and the last one may be shorter", async () => {
    const { location } = await begin();
    for (let offset = 0; offset < 100; offset++)
      expect(await append(location, offset, "?0", randomBytes(1))).toMatchObject({ status: 204 });
    expect((await ada("HEAD", location)).headers.get("upload-limit")).toMatch(
      new RegExp(`^max-size=67108864, min-append-size=${LEAST_BYTES}, max-age=86[34]\\d\\d$`),
    );
    const files = (await storedFiles(service)).length;
    expect(await append(location, 100, "?0", randomBytes(LEAST_BYTES - 1))).toMatchObject(tooShort);
    expect(await append(location, 100, "?0", ReadableStream.from([randomBytes(10)]))).toMatchObject(tooShort);
    expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("100");
    expect((await storedFiles(service)).length).toBe(files);
    expect(await append(location, 100, "?0", randomBytes(LEAST_BYTES))).toMatchObject({ status: 204 });
    expect(await append(location, 100 + LEAST_BYTES, "?1", randomBytes(1))).toMatchObject({
      status: 202,
      body: { size_bytes: LEAST_BYTES + 101 },
    });
  });

  it("to 10,000 pieces, and a piece after 9,990 others writes at most 1.5 times the WAL of a piece after ten", async () => {
    const written = async (location: string, offset: number) => {
      const lsn = async () =>
        (await service.db.$queryRaw<{ lsn: string }[]>`SELECT pg_current_wal_insert_lsn()::text AS lsn`)[0]!.lsn;
      const before = await lsn();
      expect(await append(location, offset, "?0", randomBytes(LEAST_BYTES))).toMatchObject({ status: 204 });
      const [{ bytes }] = await service.db.$queryRaw<[{ bytes: number }]>`
        SELECT (pg_current_wal_insert_lsn() - ${before}::pg_lsn)::float8 AS bytes`;
      return bytes;
    };
    // Other tests write to the same log, so the smallest cost counts, and uploads are measured until they have been quiet once.
    let [ofFew, ofMany] = [Infinity, Infinity];
    for (let round = 0; round < 10 && !(ofMany < 1.5 * ofFew); round++) {
      const [few, many] = [await begin(), await begin()];
      await addPieces(few.id, 10);
      await addPieces(many.id, 9_990);
      for (let n = 0; n < 10; n++) {
        ofFew = Math.min(ofFew, await written(few.location, 10 + n * LEAST_BYTES));
        ofMany = Math.min(ofMany, await written(many.location, 9_990 + n * LEAST_BYTES));
      }
      expect(await append(many.location, 9_990 + 10 * LEAST_BYTES, "?0", randomBytes(LEAST_BYTES))).toMatchObject(tooShort);
    }
    process.stderr.write(`bytes of WAL that a piece costs: ${ofFew} behind ten others, ${ofMany} behind 9,990\n`);
    expect(ofMany).toBeLessThan(1.5 * ofFew);
  });

  it("in what a client can split by asking for the offset: after a hundred pieces, only what is large enough is recorded", async () => {
    const { id, location } = await begin();
    await addPieces(id, 100);
    const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const body = ReadableStream.from(
      (async function* () {
        yield randomBytes(1_000);
        arrived.resolve();
        await go.promise;
        yield randomBytes(LEAST_BYTES);
      })(),
    );
    const answer = append(location, 100, "?0", body);
    await arrived.promise;
    for (let n = 0; n < 3; n++) expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("100");
    go.resolve();
    expect(await answer).toMatchObject({ status: 204 });
    expect(await service.db.partialUpload.findUnique({ where: { id } })).toMatchObject({ pieceCount: 101 });
  });

  it("to 100 unfinished uploads of one user, until the user cancels one", async () => {
    const eve = await service.as();
    await service.db.$executeRaw`
      INSERT INTO partial_uploads (id, owner_id) SELECT gen_random_uuid(), ${eve.userId}::uuid FROM generate_series(1, 99)`;
    const { location } = await begin(eve);
    const refused = await eve("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await eve("DELETE", location)).toMatchObject({ status: 204 });
    await begin(eve);
    // Other users are not affected.
    await begin();
  });
});

describe("the interim response 104 (Upload Resumption Supported)", () => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
    ada = await service.as();
  });
  afterAll(() => service.close());

  /** The statuses and the whole text of the responses on one connection. */
  function answers(version: string, header: string): Promise<{ statuses: number[]; text: string }> {
    const { port, hostname } = new URL(service.url);
    return new Promise((resolve, reject) => {
      let text = "";
      connect(Number(port), hostname)
        .setEncoding("latin1")
        .on("data", (it: string) => (text += it))
        .on("error", reject)
        .on("close", () => resolve({ statuses: [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map((it) => Number(it[1])), text }))
        .write(
          `POST /video-uploads HTTP/${version}\r\nHost: x\r\nConnection: close\r\nAuthorization: ${ada.authorization}\r\n${header}Content-Type: application/octet-stream\r\nUpload-Complete: ?1\r\nContent-Length: 4\r\n\r\nabcd`,
        );
    });
  }

  it("is sent over HTTP/1.1 to a client that sends the supported draft version", async () => {
    const { statuses, text } = await answers("1.1", "Upload-Draft-Interop-Version: 8\r\n");
    expect(statuses).toEqual([104, 202]);
    expect(text).toMatch(/^upload-draft-interop-version: 8\r$/im);
    expect(text).toMatch(/^upload-limit: max-size=\d+, min-append-size=\d+, max-age=86400\r$/im);
  });

  it.each([
    ["HTTP/1.0", "1.0", "Upload-Draft-Interop-Version: 8\r\n"],
    ["another version", "1.1", "Upload-Draft-Interop-Version: 6\r\n"],
    ["an unknown version", "1.1", "Upload-Draft-Interop-Version: 999\r\n"],
    ["no version, which might mistake it for the final response", "1.1", ""],
  ])("is not sent to a client with %s, and no version is returned", async (_name, version, header) => {
    const { statuses, text } = await answers(version, header);
    expect(statuses).toEqual([202]);
    expect(text.toLowerCase()).not.toContain("upload-draft-interop-version");
  });
});
