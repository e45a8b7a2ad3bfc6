import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { addUser } from "../../src/auth/users.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { run } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { linesOf, plumbline, PLUMBLINE, plumblineJson, type Settings, startPlumbline } from "../support/plumbline.ts";

let service: TestService;
let settings: Settings;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
  settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl };
});
afterAll(() => service.close());

const user = async (...args: readonly string[]) => (await plumblineJson(settings, "user", ...args)).lines[0];
const idOf = (apiKey: string) => apiKey.split("_")[1]!;
const statusWith = async (apiKey: string) =>
  (await createClient(service.url, { userId: "", name: "", authorization: `Bearer ${apiKey}` })("GET", "/account")).status;

describe("plumbline user rotate", () => {
  it("creates a key with the same scopes at once, and the old one works until its grace period ends", async () => {
    const { user_id: userId, api_key: old } = await user("add", "Ada", "--scopes", "posts:read");
    const { api_key: key, old_expires_at: expiry } = await user("rotate", idOf(old), "--grace", "12s");
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
      expect(await plumbline(settings, "user", ...args)).toMatchObject({ exit: 1, stderr: expect.stringMatching(/that works/) });
  });

  it("doesn't prolong a key that expires before the grace period ends", async () => {
    const { api_key: old } = await user("add", "Ada");
    const at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await user("expire", idOf(old), "--at", at)).expires_at).toBe(at);
    expect((await user("rotate", `plumb_${idOf(old)}_…`, "--grace", "7d")).old_expires_at).toBe(at);
  });
});

describe("plumbline user expire", () => {
  it("ends a key at once by default, at most 5 s later in a running service, and no other key of the user", async () => {
    const { user_id: userId, api_key: first } = await user("add", "Ada");
    const { api_key: second } = await user("key", userId);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);
    await user("expire", idOf(first));
    await eventually("a refusal", async () => (await statusWith(first)) === 401, 8_000);
    expect(await statusWith(second)).toBe(200);
  });

  it.each([
    ["an unknown key", ["expire", "0123456789ab"], /no key plumb_0123456789ab/],
    [
      "both forms of a time",
      ["expire", "0123456789ab", "--in", "1d", "--at", "2030-01-01T00:00:00Z"],
      /^Arguments in and at are mutually exclusive\n/,
    ],
    ["a time without a zone", ["expire", "0123456789ab", "--at", "2030-01-01T00:00:00"], /is not a time/],
    ["a time after the year 9999", ["expire", "0123456789ab", "--at", "9999-12-31T23:59:59-01:00"], /is not a time/],
    ["a duration without a unit", ["rotate", "0123456789ab", "--grace", "5"], /is not a duration/],
    ["no key", ["rotate"], /^Only 0 of 1 arguments/],
  ])("refuses %s", async (_what, args, reason) => {
    expect(await plumbline(settings, "user", ...args)).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: expect.stringMatching(reason),
    });
  });
});

describe("plumbline user list", () => {
  it("prints any number of users with the same memory, in pages, and stops when its reader does", async () => {
    await using other = await startTestService({ ROLE: "api" });
    await other.db.$executeRaw`
      INSERT INTO users (id, display_name) SELECT gen_random_uuid(), 'User ' || n FROM generate_series(1, 50000) n`;
    const all = { NODE_ENV: "test", DATABASE_URL: other.databaseUrl };
    // With a heap this small, a list of all users at once would end the process.
    await using small = run(all, ["--max-old-space-size=64", ...PLUMBLINE, "user", "list", "--json"]);
    expect({ exit: await small.exited, stderr: small.stderr() }).toEqual({ exit: 0, stderr: "" });
    const users = linesOf(small.stdout());
    expect([users.length, new Set(users.map((it) => it.user_id)).size]).toEqual([50_000, 50_000]);
    const { lines } = await plumblineJson(all, "user", "list", "--after", users[9]!.user_id, "--limit", "3");
    expect(lines.map((it) => it.user_id)).toEqual(users.slice(10, 13).map((it) => it.user_id));
    const { user_id: deleted } = users[3]!;
    await other.db.user.update({ where: { id: deleted }, data: { deletedAt: new Date() } });
    expect((await plumblineJson(all, "user", "list", "--limit", "4")).lines.map((it) => it.user_id)).not.toContain(deleted);
    await using cut = startPlumbline(all, "user", "list", "--json");
    cut.child.stdout!.once("data", () => cut.child.stdout!.destroy());
    expect({ exit: await cut.exited, stderr: cut.stderr() }).toEqual({ exit: 0, stderr: "" });
  });
});

describe("plumbline audit-log", () => {
  it("shows for a year what operators have changed, also by commands that had no terminal, and without a secret", async () => {
    const { user_id: userId, api_key: first } = await user("add", "Ada");
    const { api_key: second } = await user("key", userId);
    const { api_key: third } = await user("rotate", idOf(first));
    await user("expire", idOf(second), "--in", "1d");
    await plumbline(settings, "user", "link", userId, "--issuer", "https://id.example.com", "--subject", "ada");
    await plumbline(settings, "user", "unlink", userId);
    await plumbline(settings, "user", "revoke", userId);
    const { lines } = await plumblineJson(settings, "audit-log", "--user", userId);
    expect(lines.map((it) => [it.action, it.details])).toEqual([
      ["user.add", { key_id: idOf(first) }],
      ["key.add", { key_id: idOf(second) }],
      ["key.rotate", { key_id: idOf(third), old_key_id: idOf(first), expires_at: expect.any(String) }],
      ["key.expire", { key_id: idOf(second), expires_at: expect.any(String) }],
      ["user.link", { issuer: "https://id.example.com", subject: "ada" }],
      ["user.unlink", {}],
      ["key.revoke", { keys: 3, disabled_endpoints: 0 }],
    ]);
    for (const it of lines) {
      expect(it).toMatchObject({ user_id: userId, operator: expect.stringMatching(/./), host: expect.stringMatching(/./) });
      expect(Date.parse(it.ends_at) - Date.parse(it.at)).toBe(365 * 24 * 3_600_000);
    }
    const secrets = [first, second, third].map((it) => it.split("_").slice(2).join("_"));
    for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret);
    const after = await plumblineJson(settings, "audit-log", "--user", userId, "--after", lines[2]!.id, "--limit", "2");
    expect(after.lines).toEqual(lines.slice(3, 5));
    await service.db
      .$executeRaw`UPDATE audit_entries SET created_at = now() - interval '8 days' WHERE id = ${lines[0]!.id}::uuid`;
    expect((await plumblineJson(settings, "audit-log", "--user", userId, "--since", "7d")).lines).toEqual(lines.slice(1));
  });

  it("shows no change that was refused", async () => {
    const { user_id: userId } = await user("add", "Ada");
    expect((await plumbline(settings, "user", "expire", "aaaabbbbcccc")).exit).toBe(1);
    expect((await plumbline(settings, "user", "delete", userId)).exit).toBe(1);
    const { lines } = await plumblineJson(settings, "audit-log", "--user", userId);
    expect(lines.map((it) => it.action)).toEqual(["user.add"]);
  });
});

describe("in production, a command that changes something", () => {
  it("writes one audit line to stderr, with the operator and without a secret", async () => {
    const production = { ...settings, NODE_ENV: "production", CURSOR_SECRETS: "a secret for a test" };
    const { userId, apiKey } = await addUser(service.db, `Ada ${randomUUID()}`, []);
    const { exit, stdout, stderr } = await plumbline(production, "user", "rotate", idOf(apiKey), "--print", "key");
    expect({ exit, lines: linesOf(stderr) }).toEqual({
      exit: 0,
      lines: [
        expect.objectContaining({ audit: "key.rotate", user_id: userId, old_key_id: idOf(apiKey), operator: expect.any(String) }),
      ],
    });
    expect(stderr).not.toContain(stdout.trim().split("_").slice(2).join("_"));
    expect((await plumbline(production, "user", "list")).stderr).toBe("");
  });
});
