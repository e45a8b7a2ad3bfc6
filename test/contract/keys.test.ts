import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { describeOperations } from "../../scripts/generate/describe-operations.ts";
import type { Contract } from "../../src/contract/bundle.ts";
import type { Input, Principal, Routed } from "../../src/contract/contract.ts";
import { connect, type Tx } from "../../src/database/client.ts";
import { keyOf, once, purgeIdempotencyKeys } from "../../src/idempotency/idempotency.ts";
import { createEnforcement, type Validation } from "../../src/http/validation/enforcement.ts";
import { publishPost } from "../../src/posts/service.ts";
import type { Answer, Body } from "../support/client.ts";
import { declaredResponse, operations, parametersOf } from "../support/contract.ts";
import { withKey } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { ask, exampleRequest, otherBody, type ExampleRequest } from "../support/example-requests.ts";
import { previousRelease } from "../support/previous-release.ts";
import { createResources, gather, type Users } from "../support/resources.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const keyed = operations.filter((it) => it.headerParameters.includes("Idempotency-Key"));

const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOADS_PER_USER: "10" }));
const people = prepare(() => gather(service));

const replayed = async (caller: keyof Users, request: ExampleRequest, key: string) =>
  (await ask(people[caller], request, { "Idempotency-Key": key })).headers.get("idempotency-replayed");

/** Without the comparison with the contract: what another version has stored doesn't match this one. */
async function sendPlainly({ method, path, headers, body }: ExampleRequest, key: string) {
  const content = body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body);
  const authorized = { ...headers, Authorization: people.owner.authorization!, "Idempotency-Key": key };
  const response = await fetch(`${service.url}${path}`, { method, headers: authorized, body: content });
  return {
    status: response.status,
    isReplay: response.headers.get("idempotency-replayed") === "true",
    body: (await response.json()) as Body,
  };
}

/** The validation of responses by the previous release, or null for an operation that it doesn't have. */
const releasedFile = new URL(`../../openapi/released/${previousRelease().version}.json`, import.meta.url);
const releasedContract = JSON.parse(readFileSync(releasedFile, "utf8")) as Contract;
const releasedOperations = describeOperations(releasedContract);
const enforceReleased = createEnforcement(releasedContract, releasedOperations);
function released(id: string): Validation | null {
  const operation = releasedOperations.find((it) => it.id === id);
  return operation === undefined ? null : enforceReleased(operation);
}

/** What a replay adds to a response that the previous release has stored. */
const NOT_STORED_BY_1_2_0: Readonly<Record<string, readonly string[]>> = {
  createUrl: ["expired_url"],
  createConversation: ["last_message", "last_read_sequence", "unread_count", "muted"],
};

describe("an idempotency key", () => {
  const REQUIRED = "The key is **required** to start a conversation and to send a message, and **optional** everywhere else.";
  it(`${sentence("Every POST takes one.")} ${sentence(REQUIRED)}`, async () => {
    expect(keyed.map((it) => it.id)).toEqual(operations.filter((it) => it.method === "post").map((it) => it.id));
    for (const operation of keyed) {
      const request = exampleRequest(operation, await createResources(operation, people), {
        userId: people.guest.userId,
        seen: "",
      });
      const { "Idempotency-Key": _, ...headers } = request.headers as Record<string, string>;
      const { status, body } = await ask(people.owner, { ...request, headers });
      if (["createConversation", "createMessage"].includes(operation.id))
        expect([operation.id, status, body.code]).toEqual([operation.id, 400, "idempotency_key_required"]);
      else expect([operation.id, Math.floor(status / 100)]).toEqual([operation.id, 2]);
    }
  });

  it.each(keyed)("of $id belongs to one user and one path", async (operation) => {
    const known = { userId: people.guest.userId, seen: "" };
    const key = randomUUID();
    const request = exampleRequest(operation, await createResources(operation, people), known);
    expect(await replayed("owner", request, key)).toBeNull();
    expect(await replayed("owner", request, key)).toBe("true");
    expect(await replayed("member", request, key)).toBeNull();
    if (!operation.path.includes("{")) return;
    const { path } = exampleRequest(operation, await createResources(operation, people), known);
    expect(path).not.toBe(request.path);
    expect(await replayed("owner", { ...request, path }, key)).toBeNull();
    expect(await replayed("owner", { ...request, path }, key)).toBe("true");
  });

  it.each(keyed)("of $id is used once by ten requests at the same time, and refuses another request", async (operation) => {
    const known = { userId: people.guest.userId, seen: "" };
    const request = exampleRequest(operation, await createResources(operation, people), known);
    const key = randomUUID();
    const send = (body: unknown, spelling: string = key) =>
      ask(people.owner, { ...request, body }, { "Idempotency-Key": spelling });
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(request.body)));
    const [{ status, text, headers }] = answers as [Answer];
    expect(status).toBeLessThan(300);
    expect(new Set(answers.map((it) => `${it.status} ${it.text}`)).size).toBe(1);
    expect(answers.filter((it) => it.headers.get("idempotency-replayed") === "true")).toHaveLength(9);

    const fields = Object.entries(request.body as Body);
    const isJson = operation.body === "application/json";
    const again = await send(isJson ? Object.fromEntries([...fields].reverse()) : request.body, `"${key}"`);
    expect(again).toMatchObject({ status, text });
    for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(headers.get(name));
    // The requests without a field are all equal.
    const other = otherBody(operation, request.body);
    if (other !== null) expect(await send(other)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    else expect(declaredResponse(operation, "422")).toBeNull();
    for (const { name, example } of parametersOf(operation).filter((it) => it.in === "query")) {
      const path = `${request.path}?${name}=${encodeURIComponent(String(example))}`;
      const query = await ask(people.owner, { ...request, path }, { "Idempotency-Key": key });
      expect(query).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    }
    // Keys are case-sensitive.
    expect((await send(request.body, key.toUpperCase())).headers.get("idempotency-replayed")).toBeNull();
  });

  it("is stored with user, operation and path parameters; without these, as in 1.0.0", () => {
    const principal = { userId: randomUUID() } as Principal;
    const header = { "Idempotency-Key": "a key of tests" };
    const inPath = (path: object) => keyOf({ operation: "updatePost" as Routed, principal, path, header })!.operationId;
    const inPost = (post_id: string) => inPath({ post_id });
    const [one, other] = [randomUUID(), randomUUID()];
    const families = [one, other].flatMap((parent) => [one, other].map((child) => inPath({ parent, child })));
    expect(new Set(families).size).toBe(4);
    expect(inPost(one)).toBe(inPost(one));
    expect(inPost(one)).not.toBe(inPost(other));
    expect(inPost(one)).toMatch(/^updatePost [A-Za-z0-9_-]{22}$/);
    expect(new Set(Array.from({ length: 30_000 }, () => inPost(randomUUID()))).size).toBe(30_000);
    expect(keyOf({ operation: "createPost" as Routed, principal, path: {}, header })).toEqual({
      userId: principal.userId,
      operationId: "createPost",
      key: "a key of tests",
    });
  });

  it.each(keyed)(
    "of $id is stored with a response that the previous release can replay, and replays what another version has stored: a field more, a field less, or a longer text",
    async (operation) => {
      const known = { userId: people.guest.userId, seen: "" };
      const request = exampleRequest(operation, await createResources(operation, people), known);
      const key = randomUUID();
      const first = await sendPlainly(request, key);
      expect(first.isReplay).toBe(false);
      // The resource is the body, or is in it beside its secret. A secret and links have no id.
      const { id, endpoint, secret, expires_at } = first.body;
      expect(id ?? endpoint?.id ?? secret ?? expires_at).toEqual(expect.any(String));
      const row = await service.db.idempotencyKey.findFirst({ where: { key } });
      if (row === null) {
        // The key of a message is stored with its row, and its response is made from it.
        expect(operation.id).toBe("createMessage");
        return;
      }
      const storedBody = JSON.parse(row.body);
      // Processes of that release run during a rollout. They add what is not stored, and refuse to send a field that they don't know.
      released(operation.id)?.response(row.status, { ...(first.body as object), ...storedBody });
      const fields = Object.entries(storedBody as object);
      // These are the same whatever is stored.
      const isAdded = (name: string) => !(name in storedBody) || NOT_STORED_BY_1_2_0[operation.id]?.includes(name);
      const added = Object.fromEntries(Object.entries(first.body as object).filter(([name]) => isAdded(name)));
      const store = (body: Body) =>
        service.db.idempotencyKey.updateMany({ where: { key }, data: { body: JSON.stringify(body) } });
      const without = (name: string) => Object.fromEntries(fields.filter(([it]) => it !== name));
      const growing = ["title", "name", "target_url"].filter((it) => typeof storedBody[it] === "string");
      for (const stored of [
        { ...storedBody, of_another_version: { deeply: [1] } },
        ...fields.map(([name]) => without(name)),
        ...growing.map((it) => ({ ...storedBody, [it]: `${storedBody[it]}${"x".repeat(30_000)}` })),
      ]) {
        await store(stored);
        const body = { ...stored, ...added };
        expect(await sendPlainly(request, key)).toEqual({ status: first.status, isReplay: true, body });
      }
      // No version has ever sent this.
      await store({ ...storedBody, ["id" in storedBody ? "id" : fields[0]![0]]: 5 });
      expect(await sendPlainly(request, key)).toMatchObject({ status: 500, body: { code: "internal_error" } });
    },
  );

  it.each([
    "1970-01-01T00:00:00.000Z",
    '"created_at":"1970-01-01T00:00:00.000Z"',
    String.raw`\"updated_at":"1970-01-01T00:00:00.000Z\\`,
    '","created_at":null,"updated_at":""',
    String.raw`$1 \1 \0 "created_at":`,
  ])("replays the first response byte for byte, whatever its texts are: %s", async (text) => {
    for (const [path, texts, others] of [
      ["/posts", { title: text, body: text }, {}],
      ["/conversations", { title: text }, { member_ids: [people.guest.userId] }],
      ["/urls", { target_url: `https://www.example.com/?${encodeURIComponent(text)}` }, {}],
    ] as const) {
      const send = () => people.owner("POST", path, { ...texts, ...others }, key);
      const key = withKey();
      const [first, again] = [await send(), await send()];
      expect(first).toMatchObject({ status: 201, body: texts });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.text).toBe(first.text);
      for (const name of ["location", "etag"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(Math.abs(Date.parse(again.body.created_at) - Date.now())).toBeLessThan(60_000);
    }
  });

  it("is free again at the end of its 72 hours, also before it is removed, and stays if a request uses it during the removal", async () => {
    const key = randomUUID();
    const post = async () => (await people.owner("POST", "/posts", { title: "Keys", body: "x" }, withKey(key))).body.id as string;
    const endsIn = (seconds: number) =>
      service.db.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() + seconds * 1_000) } });
    const first = await post();
    await endsIn(60);
    expect(await post()).toBe(first);
    await endsIn(-60);
    const second = await post();
    expect(second).not.toBe(first);
    await endsIn(-60);
    const again = "UPDATE idempotency_keys SET expires_at = now() + interval '72 hours' WHERE key = $1";
    await using claiming = await hold(service.databaseUrl, again, [key]);
    const removal = purgeIdempotencyKeys(service.db);
    await claiming.blocks(1);
    await claiming.query("COMMIT");
    await removal;
    expect(await post()).toBe(second);
  });

  it("stores no response that breaks the contract, and nothing of its request, so that no retry sends it", async () => {
    const { userId } = people.owner;
    const { pool, close } = await connect(
      service.databaseUrl,
      { DATABASE_POOL_SIZE: 1, DATABASE_POOL_TIMEOUT_SECONDS: 30 },
      () => undefined,
    );
    const found = async () => [await service.db.post.count(), await service.db.idempotencyKey.count()];
    const before = await found();
    const inputWith = (checkResponse: () => void): Input<"createPost"> => ({
      operation: "createPost" as Routed<"createPost">,
      principal: {
        userId,
        displayName: "",
        scopes: new Set(),
        credential: { kind: "api_key", keyId: "0123456789ab", expiresAt: null },
      },
      path: {},
      query: {},
      header: { "Idempotency-Key": "a-response-that-leaks" },
      body: { title: "A secret", body: "" },
      announceUpload: () => undefined,
      announceOffset: () => undefined,
      checkResponse,
    });
    const refuse = inputWith(() => {
      throw new Error("a leak");
    });
    const effect = async (tx: Tx) => {
      await tx.post.create({ data: { id: randomUUID(), authorId: userId, title: "A secret", body: "" } });
      return { status: 201, body: {} };
    };
    const answer = () => ({ status: 201, body: {} });
    await expect(once(service.db, refuse, effect)).rejects.toThrow("a leak");
    await expect(publishPost(pool, refuse, answer)).rejects.toThrow("a leak");
    expect(await found()).toEqual(before);
    await publishPost(
      pool,
      inputWith(() => undefined),
      answer,
    );
    expect(await found()).toEqual(before.map((it) => it + 1));
    await close();
  });
});
