import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { createClient, type Body, type Client } from "../support/client.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { linesOf, output, plumbline, PLUMBLINE, plumblineJson, startPlumbline, run } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";

const issuer = prepare(createIssuer);
const service = prepare(() => startTestService(issuer.settings));
/** Every delivery fails, so that it is tried again. */
const receiver = prepare(() => startReceiver((_received, res) => res.writeHead(500).end()));

const settings = () => ({ NODE_ENV: "test", DATABASE_URL: service.databaseUrl, AUTH_ISSUER: issuer.settings.AUTH_ISSUER });
const user = async (...args: readonly string[]): Promise<Body> => (await plumblineJson(settings(), "user", ...args)).lines[0];
const said = (...args: readonly string[]) => output(settings(), ...args);
const refused = (...args: readonly string[]) => plumbline(settings(), "user", ...args);
const auditOf = async (userId: string, ...args: readonly string[]) =>
  (await plumblineJson(settings(), "audit-log", "--user", userId, ...args)).lines;

const idOf = (apiKey: string) => apiKey.split("_")[1]!;
/** The secret of an API key: everything after its id. It can contain underscores. */
const secretOf = (apiKey: string) => apiKey.split("_").slice(2).join("_");
const caller = (token: string): Client => createClient(service.url, { userId: "", name: "", authorization: `Bearer ${token}` });
const bySubject = async (sub: string) => caller(await issuer.sign({ claims: { sub } }));
const accountOf = async (client: Client) => (await client("GET", "/account")).body;
const statusWith = async (apiKey: string) => (await caller(apiKey)("GET", "/account")).status;

describe("plumbline user", () => {
  it("creates a user with every scope, and prints the key once", async () => {
    const [, userId, apiKey] = /^Mara Lindqvist\n +user id +(\S+)\n +API key +(plumb_\S+)\nThe key is not shown again\.$/.exec(
      await said("add", "Mara Lindqvist"),
    )!;
    const expected = { user_id: userId, display_name: "Mara Lindqvist", scopes: [...everyScope].sort() };
    expect(await accountOf(caller(apiKey!))).toMatchObject(expected);
  });

  it("creates keys with scopes, and shows them without their secrets, which are not stored either", async () => {
    const mara = await user("add", "Mara Lindqvist");
    const tomas = await user("add", "Tomás Oyelaran", "--scopes", "posts:read, urls:read");
    const post = { title: "It works", body: "x" };
    expect(await caller(mara.api_key)("POST", "/posts", post)).toMatchObject({ status: 201, body: { author_id: mara.user_id } });
    expect(await accountOf(caller(tomas.api_key))).toMatchObject({ scopes: ["posts:read", "urls:read"] });
    expect(await caller(tomas.api_key)("POST", "/posts", post)).toMatchObject({ body: { code: "insufficient_scope" } });
    const listed = (await plumblineJson(settings(), "user", "list")).lines;
    const shown = (it: Body, name: string, scopes: readonly string[]) => ({
      ...{ user_id: it.user_id, display_name: name, issuer: null, subject: null },
      api_keys: [{ id: idOf(it.api_key), scopes, status: "valid", expires_at: null }],
    });
    expect(listed.slice(-2)).toEqual([
      shown(mara, "Mara Lindqvist", everyScope),
      shown(tomas, "Tomás Oyelaran", ["posts:read", "urls:read"]),
    ]);
    const key = idOf(tomas.api_key);
    expect(await said("list")).toContain(`${tomas.user_id}  Tomás Oyelaran\n  plumb_${key}_…  valid  posts:read urls:read`);
    const [{ row }] = await service.db.$queryRaw<[{ row: string }]>`
      SELECT row_to_json(api_keys)::text AS row FROM api_keys WHERE id = ${key}`;
    const secret = secretOf(tomas.api_key);
    for (const form of [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret, "base64url").toString("hex")])
      expect(row + JSON.stringify(listed)).not.toContain(form);
  });

  it("revokes or expires keys, and unlinks users, which a running service knows at most 5 s later, and no other key ends", async () => {
    const [ada, ben, eve] = [await user("add", "Ada"), await user("add", "Ben"), await user("add", "Eve")];
    const { api_key: second } = await user("key", ben.user_id);
    await said("link", eve.user_id, "--subject", "brief");
    const brief = await bySubject("brief");
    const states = async () => [
      ...(await Promise.all([ada.api_key, ben.api_key, second, eve.api_key].map(statusWith))),
      (await accountOf(brief)).user_id === eve.user_id,
    ];
    expect(await states()).toEqual([200, 200, 200, 200, true]);
    expect(await said("revoke", ada.user_id)).toMatch(/^Revoked 1 API key/);
    await user("expire", idOf(ben.api_key));
    await said("unlink", eve.user_id);
    await eventually("the end", async () => (await states()).join() === "401,401,200,200,false", 10_000);
    expect((await user("show", ada.user_id)).api_keys).toMatchObject([{ status: "revoked" }]);
    expect(await said("revoke", ada.user_id)).toMatch(/^Revoked 0 API keys/);
  });

  it("rotates a key: the new one has the same scopes at once, and the old one works until its grace period ends", async () => {
    const { user_id: userId, api_key: old } = await user("add", "Ada", "--scopes", "posts:read");
    const { api_key: key, old_expires_at: expiry } = await user("rotate", `plumb_${idOf(old)}_…`, "--grace", "6s");
    expect([await statusWith(old), await statusWith(key)]).toEqual([200, 200]);
    expect((await user("show", userId)).api_keys).toMatchObject([
      { id: idOf(old), scopes: ["posts:read"], expires_at: expiry },
      { id: idOf(key), scopes: ["posts:read"], status: "valid", expires_at: null },
    ]);
    await eventually("the end of the grace period", async () => (await statusWith(old)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiry) - 50);
    expect(await statusWith(key)).toBe(200);
    expect((await user("show", userId)).api_keys[0].status).toBe("expired");
    // What has expired can't come back.
    for (const args of [
      ["rotate", idOf(old)],
      ["expire", idOf(old), "--in", "1d"],
    ])
      expect(await refused(...args)).toMatchObject({ exit: 1, stderr: expect.stringMatching(/that works/) });
  });

  it("prints no character that a terminal obeys or that reverses text, even if it is in a name or a subject", async () => {
    const { userId } = await service.as();
    // Written before names were checked.
    const written = { displayName: "\u009b2JMara \u001b[31m\u202e", issuer: "https://id.example", subject: "a\u2067b\nUser c" };
    await service.db.user.update({ where: { id: userId }, data: written });
    const json = await said("show", userId, "--json");
    for (const text of [json, await said("list"), await said("show", userId), (await refused("delete", userId)).stderr]) {
      expect(text).toContain("\\u009b2JMara \\u001b[31m\\u202e");
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      expect(text).not.toMatch(/^User c/m);
    }
    expect(JSON.parse(json)).toMatchObject({ display_name: written.displayName, subject: written.subject });
  });

  it.each([
    [" two\nlines\t ", "two lines"],
    ["🪚".repeat(150), "🪚".repeat(100)],
    ["\u009b31mMara\u0085Lindqvist\u007f", "31mMara Lindqvist"],
    ["\u202eMara\u2066 Lindqvist\u200f", "Mara Lindqvist"],
    // A joiner makes one picture out of two.
    ["👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"],
    [" ", null],
    ["\u200b\u2060", null],
    ["\u009b\u202e", null],
  ])("makes a name one line of at most 100 characters that can be seen, or refuses it: %j", async (name, shown) => {
    if (shown === null) expect(await refused("add", name)).toMatchObject({ exit: 1 });
    else expect(await accountOf(caller((await user("add", name)).api_key))).toMatchObject({ display_name: shown });
  });

  it("lists any number of users with the same memory, in pages, and stops when its reader does", async () => {
    await using database = await createTestDatabase();
    await using session = await openSession(database.url);
    await session.query(
      "INSERT INTO users (id, display_name) SELECT gen_random_uuid(), 'User ' || n FROM generate_series(1, 50000) n",
    );
    const own = { NODE_ENV: "test", DATABASE_URL: database.url };
    const list = async (...args: readonly string[]) =>
      (await plumblineJson(own, "user", "list", ...args)).lines.map((it) => it.user_id as string);
    // With a heap this small, a list of all users at once would end the process.
    await using small = run(own, ["--max-old-space-size=64", ...PLUMBLINE, "user", "list", "--json"]);
    await using cut = startPlumbline(own, "user", "list", "--json");
    cut.child.stdout!.once("data", () => cut.child.stdout!.destroy());
    for (const process of [small, cut])
      expect({ exit: await process.exited, stderr: process.stderr() }).toEqual({ exit: 0, stderr: "" });
    const ids = linesOf(small.stdout()).map((it) => it.user_id as string);
    expect([ids.length, new Set(ids).size]).toEqual([50_000, 50_000]);
    expect(await list("--after", ids[9]!, "--limit", "3")).toEqual(ids.slice(10, 13));
  });
});

describe("plumbline user link", () => {
  it("makes one user of an API key and the JWTs of a subject, with the same resources", async () => {
    const mara = await service.as();
    const linked = `The JWTs of mara, issued by ${issuer.settings.AUTH_ISSUER}, now belong to user ${mara.userId}.`;
    expect(await said("link", mara.userId, "--subject", "mara")).toBe(linked);
    const signedIn = await bySubject("mara");
    expect((await accountOf(signedIn)).user_id).toBe(mara.userId);
    const { body: post } = await mara("POST", "/posts", { title: "By key", body: "x" });
    const patched = await signedIn("PATCH", `/posts/${post.id}`, { title: "By JWT" });
    expect(patched).toMatchObject({ status: 200, body: { author_id: mara.userId } });
    const { body: url } = await signedIn("POST", "/urls", { target_url: "https://example.com/" });
    expect(await mara("GET", `/urls/${url.id}`)).toMatchObject({ status: 200 });
    expect(await service.db.user.count({ where: { subject: "mara" } })).toBe(1);
    // Linking again succeeds, and changes nothing.
    expect(await said("link", mara.userId, "--subject", "mara")).toBe(linked);
    expect(await said("list")).toContain(`  JWTs of mara, issued by ${issuer.settings.AUTH_ISSUER}\n`);
  });

  it("refuses a subject that has created a user by its first JWT, with the id of this user, which can get an API key", async () => {
    const signedIn = await bySubject("first");
    const { user_id: madeId } = await accountOf(signedIn);
    const { body: post } = await signedIn("POST", "/posts", { title: "By JWT", body: "x" });
    const { exit, stdout, stderr } = await refused("link", (await service.as()).userId, "--subject", "first");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    const [, advised] = /: npm run -s plumbline -- user (key \S+)\n$/.exec(stderr)!;
    expect(advised).toBe(`key ${madeId}`);
    expect((await accountOf(signedIn)).user_id).toBe(madeId);
    const made = await user(...advised!.split(" "), "--scopes", "posts:write");
    expect(made.user_id).toBe(madeId);
    expect(await accountOf(caller(made.api_key))).toMatchObject({ user_id: madeId, scopes: ["posts:write"] });
    expect(await caller(made.api_key)("PATCH", `/posts/${post.id}`, { title: "By key" })).toMatchObject({ status: 200 });
  });
});

describe("plumbline user, for the webhook endpoints of a user,", () => {
  /** A user who has two keys, and the endpoint of each. */
  async function start() {
    const { user_id: userId, api_key: own } = await user("add", "Ada");
    const { api_key: stolen } = await user("key", userId);
    const at = { url: `${receiver.url}/a-secret-path?token=secret` };
    const mine = await createEndpoint(caller(own), at, ["message.created"]);
    const theirs = await createEndpoint(caller(stolen), at, ["message.created"], ["conversations:read"]);
    const keys = { own: idOf(own), stolen: idOf(stolen) };
    return { ...{ userId, keys, mine, theirs }, ada: caller(own), thief: caller(stolen), host: new URL(receiver.url).host };
  }
  const stateOf = async (owner: Client, { path }: { path: string }) => {
    const { status, disabled_because: because } = (await owner("GET", path)).body;
    return because ?? (status === "disabled" ? "?" : "sends");
  };
  const NOTICES = "/notifications?kind=webhook_endpoint.disabled";
  const actionsOf = async (userId: string) => (await auditOf(userId)).slice(2).map(({ action, details }) => [action, details]);
  const still = (count: number, userId: string) =>
    `${count} webhook endpoints of the user are still sent events; npm run -s plumbline -- user endpoints ${userId} shows them.`;

  it("disables those that a revoked key has authorized, ends what waits for them, and notifies the user", async () => {
    const { userId, ada, thief, keys, mine, theirs, host } = await start();
    expect((await thief("POST", `${theirs.path}/deliveries`, {})).status).toBe(202);
    await receiver.events("webhook_endpoint.tested", 1);
    expect(await said("revoke", keys.stolen)).toBe(
      `Revoked 1 API keys. A running service can accept them for 5 more seconds.\nDisabled 1 webhook endpoints that they authorized.\n${still(1, userId)}`,
    );
    expect([await stateOf(ada, mine), await stateOf(ada, theirs)]).toEqual(["sends", "credential_revoked"]);
    expect((await ada("GET", NOTICES)).body.data).toMatchObject([
      {
        title: "A webhook endpoint of yours was disabled",
        body: `The API key that created or changed it was revoked. It sent events to ${host}. Enable it again if it is yours; otherwise, delete it.`,
        resource: { id: theirs.id },
      },
    ]);
    await eventually("the end of what waits", async () => {
      const [delivery] = (await ada("GET", `${theirs.path}/deliveries`)).body.data;
      return delivery.status === "failed" && delivery.failure === "endpoint_disabled";
    });
    // The other key works, and its user can take the endpoint over.
    expect((await ada("PATCH", theirs.path, { status: "active" })).status).toBe(200);
    const counts = { user_id: userId, keys: 0, disabled_endpoints: 0, enabled_endpoints: 2 };
    expect(await user("revoke", keys.stolen)).toEqual(counts);
    expect(await user("revoke", userId)).toEqual({ ...counts, keys: 1, disabled_endpoints: 2, enabled_endpoints: 0 });
    expect(await actionsOf(userId)).toEqual([
      ["key.revoke", { key_id: keys.stolen, keys: 1, disabled_endpoints: 1 }],
      ["key.revoke", { key_id: keys.stolen, keys: 0, disabled_endpoints: 0 }],
      ["key.revoke", { keys: 1, disabled_endpoints: 2 }],
    ]);
  });

  it("keeps them with --keep-endpoints, says how many are still sent events, and can disable them later", async () => {
    const { userId, keys } = await start();
    const ofUser = { where: { ownerId: userId } };
    expect(await said("revoke", userId, "--keep-endpoints")).toBe(
      `Revoked 2 API keys. A running service can accept them for 5 more seconds.\n${still(2, userId)}`,
    );
    expect((await service.db.webhookEndpoint.findMany(ofUser)).map((row) => row.disabledBecause)).toEqual([null, null]);
    expect(await said("revoke", keys.stolen)).toMatch(/^Revoked 0 API keys.*\nDisabled 1 webhook endpoints/);
    // What no API key has authorized stays until an operator names it.
    await service.db.webhookEndpoint.updateMany({
      where: { ownerId: userId, disabledBecause: null },
      data: { authorizedBy: null },
    });
    expect(await said("revoke", userId)).toContain(`\n${still(1, userId)}`);
  });

  it("shows them without secrets, disables one so that its owner can't enable it, and enables it again", async () => {
    const { userId, ada, keys, mine, theirs, host } = await start();
    const shown = (id: string, by: string, scopes: readonly string[], because: string | null = null) => ({
      ...{ id, host, events: ["message.created"], scopes, authorized_by: by, created_at: expect.any(String) },
      ...{ status: because === null ? "active" : "disabled", disabled_because: because },
    });
    const listed = async () => (await plumblineJson(settings(), "user", "endpoints", userId)).lines;
    const first = shown(mine.id, keys.own, []);
    expect(await listed()).toEqual([first, shown(theirs.id, keys.stolen, ["conversations:read"])]);
    const text = await said("endpoints", userId);
    expect(text).toContain(`${theirs.id}  ${host}  active\n`);
    expect(text).toContain(`authorized by plumb_${keys.stolen}_…\n  events message.created\n  scopes conversations:read`);
    for (const secret of ["secret", mine.secret, theirs.secret]) expect(text).not.toContain(secret);

    // One that its owner has disabled can become the operator's, so that nothing enables it again.
    await ada("PATCH", theirs.path, { status: "disabled" });
    expect(await said("disable-endpoint", theirs.id)).toMatch(/is disabled, and its user is notified/);
    expect(await listed()).toEqual([first, shown(theirs.id, keys.stolen, ["conversations:read"], "operator")]);
    const enabled = await ada("PATCH", theirs.path, { status: "active" });
    expect(enabled).toMatchObject({ status: 409, body: { code: "disabled_by_operator" } });
    expect((await ada("GET", NOTICES)).body.data).toMatchObject([
      {
        body: `The operator has disabled it. It sent events to ${host}. Ask the operator if you need it.`,
        resource: { id: theirs.id },
      },
    ]);
    const again = await refused("disable-endpoint", theirs.id);
    expect(again).toMatchObject({ exit: 1, stderr: expect.stringMatching(/has disabled it already/) });
    expect(await user("enable-endpoint", theirs.id)).toEqual({ id: theirs.id, status: "active", disabled_because: null });
    expect(await stateOf(ada, theirs)).toBe("sends");
    expect(await actionsOf(userId)).toEqual([
      ["endpoint.disable", { endpoint_id: theirs.id }],
      ["endpoint.enable", { endpoint_id: theirs.id }],
    ]);
  });
});

describe("plumbline audit-log", () => {
  it("shows for a year what operators have changed, without a secret, and no change that was refused", async () => {
    const { user_id: userId, api_key: first } = await user("add", "Ada");
    const { api_key: second } = await user("key", userId);
    const { api_key: third } = await user("rotate", idOf(first));
    await user("expire", idOf(second), "--in", "1d");
    await said("link", userId, "--issuer", "https://id.example.com", "--subject", "audited");
    await said("unlink", userId);
    for (const args of [
      ["link", userId, "--subject", "x".repeat(256)],
      ["delete", userId],
    ])
      expect((await refused(...args)).exit).toBe(1);
    await said("revoke", userId);
    const lines = await auditOf(userId);
    expect(lines.map((it) => [it.action, it.details])).toEqual([
      ["user.add", { key_id: idOf(first) }],
      ["key.add", { key_id: idOf(second) }],
      ["key.rotate", { key_id: idOf(third), old_key_id: idOf(first), expires_at: expect.any(String) }],
      ["key.expire", { key_id: idOf(second), expires_at: expect.any(String) }],
      ["user.link", { issuer: "https://id.example.com", subject: "audited" }],
      ["user.unlink", {}],
      ["key.revoke", { keys: 3, disabled_endpoints: 0 }],
    ]);
    for (const it of lines) {
      expect(it).toMatchObject({ user_id: userId, operator: expect.stringMatching(/./), host: expect.stringMatching(/./) });
      expect(Date.parse(it.ends_at) - Date.parse(it.at)).toBe(365 * 24 * 3_600_000);
    }
    for (const key of [first, second, third]) expect(JSON.stringify(lines)).not.toContain(secretOf(key));
    expect(await auditOf(userId, "--after", lines[2]!.id, "--limit", "2")).toEqual(lines.slice(3, 5));
    await service.db
      .$executeRaw`UPDATE audit_entries SET created_at = now() - interval '8 days' WHERE id = ${lines[0]!.id}::uuid`;
    expect(await auditOf(userId, "--since", "7d")).toEqual(lines.slice(1));
  });

  it("has its line on stderr as well in production, with the operator and without a secret", async () => {
    const production = { ...settings(), NODE_ENV: "production", CURSOR_SECRETS: "a secret for a test" };
    const { user_id: userId, api_key: apiKey } = await user("add", "Ada");
    const { exit, stdout, stderr } = await plumbline(production, "user", "rotate", idOf(apiKey), "--print", "key");
    const line = { audit: "key.rotate", user_id: userId, old_key_id: idOf(apiKey), operator: expect.any(String) };
    expect({ exit, lines: linesOf(stderr) }).toEqual({ exit: 0, lines: [expect.objectContaining(line)] });
    expect(stderr).not.toContain(secretOf(stdout.trim()));
    expect((await plumbline(production, "user", "list")).stderr).toBe("");
  });
});

const NOBODY = "01a1e35e-f078-759b-82a0-5d32985fb4e7";
const LINK = ["link", NOBODY, "--issuer", "x", "--subject"];

describe("plumbline user refuses", () => {
  it.each<[string, readonly string[], RegExp, Record<string, string>?]>([
    ["a scope that does not exist", ["add", "Ada", "--scopes", "posts:read posts:admin"], /^There is no scope posts:admin\./],
    ["no issuer to link", ["link", NOBODY, "--subject", "mara"], /^The issuer is missing\. /, { AUTH_ISSUER: "" }],
    ["a subject that is too long", [...LINK, "x".repeat(256)], /^The subject or the issuer is empty, too long or malformed\.\n$/],
    ["an unknown user to link", [...LINK, "x"], /^There is no user 01a1e35e/],
    ["a key for an unknown user", ["key", NOBODY], /^There is no user 01a1e35e/],
    ["an unknown key to revoke", ["revoke", "0123456789ab"], /^There is no key plumb_0123456789ab_…\./],
    ["an unknown key to expire", ["expire", "0123456789ab"], /no key plumb_0123456789ab/],
    ["an unknown user to revoke", ["revoke", NOBODY], /^There is no user 01a1e35e/],
    ["an unknown user with endpoints", ["endpoints", NOBODY], /^There is no user 01a1e35e/],
    ["an unknown endpoint", ["disable-endpoint", NOBODY], /^There is no webhook endpoint 01a1e35e/],
    ["to enable an unknown endpoint", ["enable-endpoint", NOBODY], /^There is no webhook endpoint 01a1e35e/],
    [
      "a database that is away",
      ["list"],
      /^The database at 127\.0\.0\.1:1 cannot be/,
      { DATABASE_URL: "postgresql://u:p@127.0.0.1:1/x" },
    ],
    ["an invalid setting", ["list"], /^The setting DATABASE_POOL_SIZE /, { DATABASE_POOL_SIZE: "x" }],
  ])("%s, with exit code 1 and a message on stderr without a stack trace", async (_what, args, reason, more = {}) => {
    const before = await service.db.user.count();
    const outcome = await plumbline({ ...settings(), ...more }, "user", ...args);
    expect(outcome).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringMatching(reason) });
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect(await service.db.user.count()).toBe(before);
  });
});
