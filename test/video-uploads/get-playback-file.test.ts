import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { openConversation } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { usedBeforeExpiry } from "../support/expiry.ts";
import { LINK_SECRET, linkWith, playbackOf } from "../support/playback.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { exchange } from "../support/socket.ts";
import { storeResult } from "../support/stored-result.ts";

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
const IN_A_MINUTE = () => new Date(Date.now() + 60_000);

let service: TestService;
let ada: Client;
let anonymous: Client;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api", CURSOR_SECRETS: LINK_SECRET });
  ada = await service.as();
  anonymous = service.anonymous();
});
afterAll(() => service.close());

const storeVideo = (owner = ada, bytes: Buffer = BYTES) =>
  storeResult(service, owner, createFileStore(join(service.dataDir, "objects")), bytes);

/** A stored video with the links to its files. */
async function linked(owner = ada, bytes: Buffer = BYTES) {
  const jobId = await storeVideo(owner, bytes);
  const { poster, sprite, renditions } = await playbackOf(owner, jobId);
  return { jobId, href: renditions[0]!.href, poster: poster.href, sprite: sprite!.href, webvtt: sprite!.webvtt.href };
}

describe("GET /playback/{job_id}/{file}", () => {
  it("returns the file without a credential, for a page of any origin, and tells the browser not to send the link on", async () => {
    const { href, poster, sprite } = await linked();
    const response = await fetch(`${service.url}${href}`, { headers: { Origin: "https://films.example" } });
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "video/mp4",
      "content-length": String(BYTES.length),
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.has("ratelimit")).toBe(false);
    for (const image of [poster, sprite]) {
      const { status, headers } = await anonymous("GET", image);
      expect([status, headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    }
  });

  it("returns WebVTT with a cue for each tile, whose link works without a credential for as long as its own", async () => {
    const { jobId } = await linked();
    const permission = { ownerId: ada.userId, expiresAt: IN_A_MINUTE() };
    const href = linkWith({ jobId, file: "sprite.vtt" }, permission);
    const { status, headers, text } = await anonymous("GET", href, undefined, { headers: { Origin: "https://films.example" } });
    expect([status, headers.get("content-type"), headers.get("access-control-allow-origin")]).toEqual([200, "text/vtt", "*"]);
    const sprite = linkWith({ jobId, file: "sprite.jpg" }, permission);
    const tiles = [...text.matchAll(/^(\S+) --> (\S+)\n(\S+)#xywh=(\S+)$/gm)].map(([, from, to, link, tile]) => {
      const { pathname, search } = new URL(link!, `${service.url}${href}`);
      return [from, to, pathname + search === sprite, tile];
    });
    expect(tiles).toEqual([
      ["00:00:00.000", "00:00:00.400", true, "0,0,2,2"],
      ["00:00:00.400", "00:00:00.800", true, "2,0,2,2"],
      ["00:00:00.800", "00:00:01.000", true, "0,2,2,2"],
    ]);
    expect(text.split("\n\n")).toHaveLength(1 + tiles.length);
    expect(text).toMatch(/^WEBVTT\n\n/);
    expect((await anonymous("GET", sprite)).status).toBe(200);
    const answer = (more: Record<string, string>) => anonymous("GET", href, undefined, { headers: more });
    expect((await answer({ "If-None-Match": headers.get("etag")! })).status).toBe(304);
    expect(await answer({ Range: "bytes=0-5" })).toMatchObject({ status: 206, text: "WEBVTT" });
  });

  it("has no sprite for a video that was processed before there were any", async () => {
    const { jobId, sprite, webvtt } = await linked();
    await service.db.$executeRaw`UPDATE video_uploads SET result = result - 'sprite' WHERE id = ${jobId}::uuid`;
    expect((await ada("GET", `/video-uploads/${jobId}`)).body.result.sprite).toBeNull();
    expect((await playbackOf(ada, jobId)).sprite).toBeNull();
    for (const href of [sprite, webvtt]) expect((await anonymous("GET", href)).status).toBe(404);
  });

  it("has the entity tag of the rendition, which an If-None-Match and an If-Range can name", async () => {
    const { jobId, href } = await linked();
    const etag = (await ada("HEAD", `/video-uploads/${jobId}/renditions/480p`)).headers.get("etag")!;
    expect((await anonymous("GET", href)).headers.get("etag")).toBe(etag);
    const answer = (headers: Record<string, string>) => anonymous("GET", href, undefined, { headers });
    expect(await answer({ "If-None-Match": etag })).toMatchObject({ status: 304, text: "" });
    expect((await answer({ Range: "bytes=0-9", "If-Range": etag })).status).toBe(206);
    expect((await answer({ Range: "bytes=0-9", "If-Range": '"another"' })).status).toBe(200);
  });

  it.each([
    ["bytes=0-", 206, "bytes 0-999/1000"],
    ["bytes=990-", 206, "bytes 990-999/1000"],
    ["bytes=-1", 206, "bytes 999-999/1000"],
    ["bytes=5-9", 206, "bytes 5-9/1000"],
    ["bytes=1000-", 416, "bytes */1000"],
    ["bytes=0-1,5-9", 200, null],
  ])("returns for Range: %s what RFC 9110 says", async (range, status, contentRange) => {
    const { href } = await linked();
    const answer = await anonymous("GET", href, undefined, { headers: { Range: range } });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([status, contentRange]);
  });

  it("can be cached until the link expires, and not a second longer", async () => {
    const { jobId } = await linked();
    for (const seconds of [60, 86_400]) {
      const { expires_at, sprite, renditions } = await playbackOf(ada, jobId, seconds);
      for (const href of [renditions[0]!.href, sprite!.webvtt.href]) {
        const { headers } = await anonymous("GET", href);
        const [, maxAge] = /^private, max-age=(\d+)$/.exec(headers.get("cache-control")!)!;
        expect(Date.now() + Number(maxAge) * 1_000).toBeLessThanOrEqual(Date.parse(expires_at) + 1_000);
        expect(Number(maxAge)).toBeGreaterThan(seconds - 30);
      }
    }
  });

  it.each([
    ["doors-rehung.mov", "inline; filename=doors-rehung.480p.mp4"],
    ["The roof. Part two", 'inline; filename="The roof. Part two.480p.mp4"'],
    ["übergabe.mp4", "inline; filename=\"?bergabe.480p.mp4\"; filename*=UTF-8''%C3%BCbergabe.480p.mp4"],
    ['say "hi"; x=y.mp4', 'inline; filename="say \\"hi\\"; x=y.480p.mp4"'],
    // Shown, it would end in exe.
    ["roof\u202Eexe.mp4", "inline; filename=roofexe.480p.mp4"],
    [".hidden", "inline; filename=.hidden.480p.mp4"],
    [null, "inline; filename=video.480p.mp4"],
  ])("says to show the file, and to save that of %j under a safe name", async (name, expected) => {
    const { jobId, href } = await linked();
    await service.db.videoUpload.update({ where: { id: jobId }, data: { name } });
    expect((await anonymous("HEAD", href)).headers.get("content-disposition")).toBe(expected);
  });
});

describe("a link ends", () => {
  it("at its expiry: then GET and HEAD, with a range or an entity tag, return 403 link_expired", async () => {
    const { jobId } = await linked();
    const { href, etag } = await usedBeforeExpiry(async (expiresAt) => {
      const link = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt });
      const { status, headers } = await anonymous("GET", link);
      return { href: link, etag: headers.get("etag")!, status };
    });
    expect(etag).toMatch(/^"/);
    await eventually("the end of the link", async () => (await anonymous("HEAD", href)).status === 403);
    for (const headers of [{}, { Range: "bytes=0-9" }, { "If-None-Match": etag }, { Range: "bytes=0-9", "If-Range": etag }])
      expect(await anonymous("GET", href, undefined, { headers })).toMatchObject({ status: 403, body: { code: "link_expired" } });
    expect((await anonymous("GET", href)).headers.get("cache-control")).toBe("no-store");
  });

  it("at its expiry, also for a response that is still being sent", async () => {
    const { jobId } = await linked(ada, Buffer.alloc(64_000_000));
    const { socket, head, link } = await usedBeforeExpiry(async (expiresAt) => {
      const href = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt });
      const slow = connect(Number(new URL(service.url).port), "127.0.0.1");
      slow.write(`GET ${href} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [first] = (await once(slow, "data")) as [Buffer];
      // More than the buffers of the kernel take, so the response waits for this client.
      return { socket: slow.pause(), head: first, link: href };
    });
    expect(head.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
    await eventually("the end of the link", async () => (await anonymous("HEAD", link)).status === 403);
    let received = head.length;
    // A reset also ends it.
    socket.on("error", () => undefined).on("data", (chunk: Buffer) => (received += chunk.length));
    const closed = once(socket, "close");
    socket.resume();
    await closed;
    expect(received).toBeLessThan(64_000_000);
  });

  it("at once when its video is deleted: 404", async () => {
    const { jobId, href, poster, sprite, webvtt } = await linked();
    const etag = (await anonymous("HEAD", href)).headers.get("etag")!;
    await ada("DELETE", `/video-uploads/${jobId}`);
    const headers = { "If-None-Match": etag };
    for (const path of [href, poster, sprite, webvtt])
      expect(await anonymous("GET", path, undefined, { headers })).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("at once when the deletion of its owner begins: 404", async () => {
    const bob = await service.as();
    const { href } = await linked(bob);
    await service.db.user.update({ where: { id: bob.userId }, data: { deletedAt: new Date() } });
    expect(await anonymous("GET", href)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("when the operator removes the secret that sealed it, and not when another one is put before it", async () => {
    const { href } = await linked();
    const statusWith = async (secrets: string) => {
      const database = { url: service.databaseUrl, drop: async () => undefined };
      const other = await startTestService({ ROLE: "api", DATA_DIR: service.dataDir, CURSOR_SECRETS: secrets }, database);
      try {
        return (await other.anonymous()("GET", href)).status;
      } finally {
        await other.close();
      }
    };
    expect(await statusWith(`the secret of next year,${LINK_SECRET}`)).toBe(200);
    expect(await statusWith("the secret of next year")).toBe(403);
  });
});

/** What an attacker has: links to two videos of one user and to one of another, and everything else that the service seals. */
async function loot() {
  const eve = await service.as();
  const [own, other, foreign] = [await linked(), await linked(), await linked(eve)];
  await openConversation(eve, [ada]);
  for (const title of ["one", "two"]) await ada("POST", "/posts", { title, body: title });
  const cursor = (await ada("GET", "/posts?limit=1")).body.page.next_cursor as string;
  const seen = (await ada("GET", "/notifications")).body.seen as string;
  const late = (await playbackOf(ada, own.jobId, 86_400)).renditions[0]!.href;
  return { own, other, foreign, eve, cursor, seen, late };
}
type Loot = Awaited<ReturnType<typeof loot>>;

const tokenOf = (href: string) => /token=(.+)$/.exec(href)![1]!;
const withToken = (href: string, token: string) => href.replace(/token=.*$/, `token=${token}`);
const bytesOf = (href: string) => Buffer.from(tokenOf(href), "base64url");
const sealedAs = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
/** Bytes 2 to 14 are the initialisation vector, the last 16 the tag, and what is between them is encrypted. */
const splice = (head: Buffer, middle: Buffer, tail: Buffer) =>
  Buffer.concat([head.subarray(0, 14), middle.subarray(14, -16), tail.subarray(-16)]);

/** Ways to forge, to stretch or to reuse a link. All are refused in the same way, so that no refusal shows the reason. */
const FORGERIES: Readonly<Record<string, (it: Loot) => string>> = {
  "any text": ({ own }) => withToken(own.href, "let-me-in"),
  "a text in another alphabet": ({ own }) => withToken(own.href, encodeURIComponent("пропуск 🎬")),
  "an empty object": ({ own }) => withToken(own.href, sealedAs(Buffer.from("{}"))),
  "who and until when, in plain text": ({ own }) =>
    withToken(own.href, sealedAs(Buffer.from(JSON.stringify([ada.userId, Date.now() + 1e9])))),
  "its beginning": ({ own }) => withToken(own.href, tokenOf(own.href).slice(0, -1)),
  "one character more": ({ own }) => withToken(own.href, `${tokenOf(own.href)}A`),
  padding: ({ own }) => withToken(own.href, `${tokenOf(own.href)}=`),
  "a space before it": ({ own }) => withToken(own.href, `%20${tokenOf(own.href)}`),
  capitals: ({ own }) => withToken(own.href, tokenOf(own.href).toUpperCase()),
  "all zeros": ({ own }) => withToken(own.href, sealedAs(Buffer.alloc(bytesOf(own.href).length))),
  "another version": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).with(0, 2))),
  "no tag": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).subarray(0, -16))),
  "a shorter tag": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).subarray(0, -12))),
  "the content of a link that lasts longer": ({ own, late }) => {
    const [mine, later] = [bytesOf(own.href), bytesOf(late)];
    return withToken(own.href, sealedAs(splice(mine, later, mine)));
  },
  "the content and the tag of a link that lasts longer": ({ own, late }) =>
    withToken(own.href, sealedAs(splice(bytesOf(own.href), bytesOf(late), bytesOf(late)))),
  "the token of the poster, for the rendition": ({ own }) => withToken(own.href, tokenOf(own.poster)),
  "the token of the rendition, for the poster": ({ own }) => withToken(own.poster, tokenOf(own.href)),
  "the token of the poster, for the sprite": ({ own }) => withToken(own.sprite, tokenOf(own.poster)),
  "the token of the sprite, for its WebVTT file": ({ own }) => withToken(own.webvtt, tokenOf(own.sprite)),
  "the token of the WebVTT file, for its sprite": ({ own }) => withToken(own.sprite, tokenOf(own.webvtt)),
  "the token of the WebVTT file of another user": ({ own, foreign }) => withToken(own.webvtt, tokenOf(foreign.webvtt)),
  "a token for a rendition that doesn't exist": ({ own }) => own.href.replace("480p.mp4", "720p.mp4"),
  "the token of another video of the same user": ({ own, other }) => withToken(own.href, tokenOf(other.href)),
  "the token of a video of another user": ({ own, foreign }) => withToken(own.href, tokenOf(foreign.href)),
  "a cursor of a list": ({ own, cursor }) => withToken(own.href, cursor),
  "the seen of a list of notifications": ({ own, seen }) => withToken(own.href, seen),
  "a link with another secret": ({ own: { jobId } }) =>
    linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: IN_A_MINUTE() }, "a secret of an attacker"),
  "a token that was expired and then changed": ({ own: { jobId } }) => {
    const href = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: new Date(1) });
    return withToken(href, sealedAs(bytesOf(href).with(20, bytesOf(href)[20]! ^ 1)));
  },
};

describe("a link that the service has not made for this file", () => {
  let stolen: Loot;
  beforeAll(async () => {
    stolen = await loot();
  });

  it("is tried in more than 20 ways, beside the links that work", async () => {
    expect(Object.keys(FORGERIES).length).toBeGreaterThan(20);
    for (const href of [
      stolen.own.href,
      stolen.own.poster,
      stolen.own.sprite,
      stolen.own.webvtt,
      stolen.other.href,
      stolen.foreign.href,
      stolen.late,
    ])
      expect((await anonymous("GET", href)).status).toBe(200);
  });

  it.each(Object.keys(FORGERIES))("returns 403 invalid_link for %s, also to a user with a token", async (what) => {
    const path = FORGERIES[what]!(stolen);
    const answers = [await anonymous("GET", path), await stolen.eve("GET", path), await ada("GET", path)];
    for (const { status, body } of answers) expect([status, body.code, body.errors]).toEqual([403, "invalid_link", undefined]);
    expect((await anonymous("HEAD", path)).status).toBe(403);
    expect(new Set(answers.map(({ body: { request_id: _, ...problem } }) => JSON.stringify(problem))).size).toBe(1);
  });

  it("returns 403 invalid_link for each of its bits that is changed", async () => {
    const { href } = stolen.own;
    const sealed = bytesOf(href);
    for (let bit = 0; bit < sealed.length * 8; bit += 5) {
      const changed = sealed.with(bit >> 3, sealed[bit >> 3]! ^ (1 << (bit & 7)));
      const { status, body } = await anonymous("GET", withToken(href, sealedAs(changed)));
      expect([bit, status, body.code]).toEqual([bit, 403, "invalid_link"]);
    }
  });

  it("returns 400 without a token, with an empty one, with two, and with a parameter that would change the expiry", async () => {
    const { href } = stolen.own;
    const more = ["&token=x", `&token=${tokenOf(href)}`, "&expires_at=2030-01-01T00:00:00.000Z", "&expires_in_seconds=86400"];
    for (const path of [href.replace(/\?.*/, ""), withToken(href, ""), ...more.map((it) => href + it)])
      expect(await anonymous("GET", path)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    const elsewhere = { headers: { Cookie: `token=${tokenOf(href)}`, Authorization: `Bearer ${tokenOf(href)}` } };
    expect((await anonymous("GET", href.replace(/\?.*/, ""), undefined, elsewhere)).status).toBe(400);
  });

  it("opens nothing else: its token is neither a credential nor a cursor, and other methods and paths don't take it", async () => {
    const { href, jobId } = stolen.own;
    const token = tokenOf(href);
    const bearer = service.anonymous(`Bearer ${token}`);
    for (const path of [`/video-uploads/${jobId}`, `/video-uploads/${jobId}/renditions/480p`, "/account"])
      expect((await bearer("GET", path)).status).toBe(401);
    expect(await ada("GET", `/posts?after=${token}`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect((await anonymous(method, href, {})).status).toBe(405);
    const expired = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: new Date(1) });
    const yesterday = { headers: { Date: "Mon, 01 Jan 1970 00:00:00 GMT", "X-HTTP-Method-Override": "HEAD" } };
    expect((await anonymous("GET", expired, undefined, yesterday)).body.code).toBe("link_expired");
    for (const path of [`${href}/`, `/x/..${href}`, href.replace("/playback", "//playback"), href.replace("480p", "480P")]) {
      const { answers } = await exchange(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { expected: 1 });
      expect([path, [400, 403, 404].includes(answers[0]!.status)]).toEqual([path, true]);
    }
  });
});
