import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { createClient, type Body, type Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { processesNaming } from "../support/processes.ts";
import { createEndpoint, startReceiver } from "../support/receiver.ts";
import { run, temporaryDataDir } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { linesOf, output, plumblineJson, userCommand } from "../support/plumbline.ts";

/** The secret of an API key: everything after its id. It can contain underscores. */
const secretOf = (apiKey: string) => apiKey.split("_").slice(2).join("_");

const callerAt = (url: string, apiKey: string): Client =>
  createClient(url, { userId: "", name: "", authorization: `Bearer ${apiKey}` });

describe("plumbline user", () => {
  it("creates a user while the service is stopped, and the key works after the service starts", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATA_DIR: dataDir.path, NODE_ENV: "test" };
    const printed = await output(settings, "add", "Mara Lindqvist");
    expect(await processesNaming(dataDir.path)).toEqual([]);
    const [, userId, apiKey] = /^Mara Lindqvist\n +user id +(\S+)\n +API key +(plumb_\S+)\nThe key is not shown again\.$/.exec(
      printed,
    )!;
    await using service = run(settings);
    const { url } = await service.ready();
    expect(await callerAt(url, apiKey!)("GET", "/account")).toMatchObject({
      status: 200,
      body: { user_id: userId, display_name: "Mara Lindqvist", scopes: [...everyScope].sort() },
    });
  }, 180_000);

  it("creates, lists and revokes keys of a running service, and revoked keys stop working within seconds", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATA_DIR: dataDir.path, NODE_ENV: "test" };
    await using service = run(settings);
    const { url } = await service.ready();
    const all = JSON.parse(await output(settings, "add", "Mara Lindqvist", "--json")) as { user_id: string; api_key: string };
    const reader = JSON.parse(
      await output(settings, "add", "Tomás Oyelaran", "--scopes", "posts:read, urls:read", "--json"),
    ) as typeof all;
    const [mara, tomas] = [callerAt(url, all.api_key), callerAt(url, reader.api_key)];
    expect(await mara("POST", "/posts", { title: "It works", body: "x" })).toMatchObject({
      status: 201,
      body: { author_id: all.user_id },
    });
    expect(await tomas("GET", "/account")).toMatchObject({ status: 200, body: { scopes: ["posts:read", "urls:read"] } });
    expect(await tomas("POST", "/posts", { title: "Not permitted", body: "x" })).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });

    const keyOf = (it: typeof all) => /^plumb_([^_]+)_/.exec(it.api_key)![1];
    const listed = await output(settings, "list", "--json");
    expect(linesOf(listed)).toEqual([
      {
        user_id: all.user_id,
        display_name: "Mara Lindqvist",
        issuer: null,
        subject: null,
        api_keys: [{ id: keyOf(all), scopes: everyScope, status: "valid", expires_at: null }],
      },
      {
        user_id: reader.user_id,
        display_name: "Tomás Oyelaran",
        issuer: null,
        subject: null,
        api_keys: [{ id: keyOf(reader), scopes: ["posts:read", "urls:read"], status: "valid", expires_at: null }],
      },
    ]);
    expect(await output(settings, "list")).toContain(
      `${reader.user_id}  Tomás Oyelaran\n  plumb_${keyOf(reader)}_…  valid  posts:read urls:read`,
    );
    for (const { api_key: key } of [all, reader]) expect(listed).not.toContain(secretOf(key));

    expect(await output(settings, "revoke", reader.user_id)).toMatch(/^Revoked 1 API key/);
    const revokedMs = performance.now();
    await eventually("a refusal of the revoked key", async () => (await tomas("GET", "/account")).status === 401, 8_000);
    process.stderr.write(`a revoked key was refused ${((performance.now() - revokedMs) / 1_000).toFixed(1)} s later\n`);
    expect(await mara("GET", "/account")).toMatchObject({ status: 200 });
    expect(linesOf(await output(settings, "list", "--json"))[1]!.api_keys[0].status).toBe("revoked");
    expect(await output(settings, "revoke", reader.user_id)).toMatch(/^Revoked 0 API keys/);
  }, 300_000);

  it("uses the database in DATABASE_URL, and doesn't store the secret of a key", async () => {
    const service = await startTestService({ ROLE: "api" });
    try {
      const { user_id: userId, api_key: apiKey } = JSON.parse(
        await output({ DATABASE_URL: service.databaseUrl }, "add", "Ada", "--json"),
      ) as { user_id: string; api_key: string };
      expect(await callerAt(service.url, apiKey)("GET", "/account")).toMatchObject({ status: 200, body: { user_id: userId } });
      const rows = await service.db.$queryRaw<Body[]>`SELECT row_to_json(api_keys)::text AS row FROM api_keys`;
      expect(rows).toHaveLength(1);
      const secret = secretOf(apiKey);
      for (const form of [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret, "base64url").toString("hex")])
        expect(rows[0].row).not.toContain(form);
    } finally {
      await service.close();
    }
  }, 180_000);

  it("prints no character that a terminal obeys or that reverses text, even if it is in a name or a subject", async () => {
    await using service = await startTestService({ ROLE: "api" });
    const settings = { DATABASE_URL: service.databaseUrl };
    const { userId } = await service.as();
    // Written before names were checked.
    const written = { displayName: "\u009b2JMara \u001b[31m\u202e", issuer: "https://id.example", subject: "a\u2067b\nUser c" };
    await service.db.user.update({ where: { id: userId }, data: written });
    const printed = await Promise.all([
      output(settings, "list"),
      output(settings, "show", userId),
      output(settings, "show", userId, "--json"),
      userCommand(settings, "delete", userId).then((it) => it.stderr),
    ]);
    for (const text of printed) {
      expect(text).toContain("\\u009b2JMara \\u001b[31m\\u202e");
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      expect(text).not.toMatch(/^User c/m);
    }
    expect(JSON.parse(printed[2])).toMatchObject({ display_name: written.displayName, subject: written.subject });
  }, 180_000);

  it("shortens a name to one line of at most 100 characters, without controls of terminals and of direction", async () => {
    const service = await startTestService({ ROLE: "api" });
    try {
      const settings = { DATABASE_URL: service.databaseUrl };
      for (const [name, shown] of [
        [" two\nlines\t ", "two lines"],
        ["🪚".repeat(150), "🪚".repeat(100)],
        ["\u009b31mMara\u0085Lindqvist\u007f", "31mMara Lindqvist"],
        ["\u202eMara\u2066 Lindqvist\u200f", "Mara Lindqvist"],
        // A joiner makes one picture out of two.
        ["👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"],
      ] as const) {
        const { api_key: apiKey } = JSON.parse(await output(settings, "add", name, "--json")) as { api_key: string };
        expect(await callerAt(service.url, apiKey)("GET", "/account")).toMatchObject({ body: { display_name: shown } });
      }
      for (const name of [" ", "\u200b\u2060", "\u009b\u202e"])
        expect(await userCommand(settings, "add", name)).toMatchObject({ exit: 1 });
    } finally {
      await service.close();
    }
  }, 180_000);

  it("prints a one-sentence message if the database is unreachable or a setting is invalid", async () => {
    for (const [settings, reason] of [
      [{ DATABASE_URL: "postgresql://u:p@127.0.0.1:1/x" }, /^The database at 127\.0\.0\.1:1 cannot be/],
      [{ DATABASE_POOL_SIZE: "x" }, /^The setting DATABASE_POOL_SIZE /],
    ] as const) {
      const outcome = await userCommand(settings, "list");
      expect(outcome).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringMatching(reason) });
      expect(outcome.stderr).not.toMatch(/\n\s+at /);
    }
  });
});

const idOf = (apiKey: string) => apiKey.split("_")[1]!;

describe("plumbline user, for the webhook endpoints of a user,", () => {
  /** A service with a user who has two keys, and the endpoint of each at a receiver that is away. */
  async function start() {
    const service = await startTestService();
    const settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl };
    const { user_id: userId, api_key: own } = JSON.parse(await output(settings, "add", "Ada", "--json"));
    const { api_key: stolen } = JSON.parse(await output(settings, "key", userId, "--json"));
    const receiver = await startReceiver((_received, res) => res.writeHead(500).end());
    const [ada, thief] = [callerAt(service.url, own), callerAt(service.url, stolen)];
    const at = { url: `${receiver.url}/a-secret-path?token=secret` };
    return {
      ...{ service, settings, userId, receiver, ada, thief },
      keys: { own: idOf(own), stolen: idOf(stolen) },
      mine: await createEndpoint(ada, at, ["message.created"]),
      theirs: await createEndpoint(thief, at, ["message.created"], ["conversations:read"]),
      host: new URL(receiver.url).host,
      async [Symbol.asyncDispose]() {
        await receiver[Symbol.asyncDispose]();
        await service.close();
      },
    };
  }
  const stateOf = async (owner: Client, { path }: { path: string }) => {
    const { status, disabled_because: because } = (await owner("GET", path)).body;
    return because ?? (status === "disabled" ? "?" : "sends");
  };

  it("disables those that a revoked key has authorized, ends what waits for them, and notifies the user", async () => {
    await using it = await start();
    const { settings, userId, ada, keys, mine, theirs, host } = it;
    expect((await it.thief("POST", `${theirs.path}/deliveries`, {})).status).toBe(202);
    await it.receiver.events("webhook_endpoint.tested", 1);
    expect(await output(settings, "revoke", keys.stolen)).toBe(
      `Revoked 1 API keys. A running service can accept them for 5 more seconds.\nDisabled 1 webhook endpoints that they authorized.\n1 webhook endpoints of the user are still sent events; npm run -s plumbline -- user endpoints ${userId} shows them.`,
    );
    expect([await stateOf(ada, mine), await stateOf(ada, theirs)]).toEqual(["sends", "credential_revoked"]);
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body.data).toMatchObject([
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
    expect((await plumblineJson(settings, "user", "revoke", keys.stolen)).lines).toEqual([
      { user_id: userId, keys: 0, disabled_endpoints: 0, enabled_endpoints: 2 },
    ]);
    expect((await plumblineJson(settings, "user", "revoke", userId)).lines).toEqual([
      { user_id: userId, keys: 1, disabled_endpoints: 2, enabled_endpoints: 0 },
    ]);
    const { lines } = await plumblineJson(settings, "audit-log", "--user", userId);
    expect(lines.slice(2).map((action) => [action.action, action.details])).toEqual([
      ["key.revoke", { key_id: keys.stolen, keys: 1, disabled_endpoints: 1 }],
      ["key.revoke", { key_id: keys.stolen, keys: 0, disabled_endpoints: 0 }],
      ["key.revoke", { keys: 1, disabled_endpoints: 2 }],
    ]);
  }, 180_000);

  it("keeps them with --keep-endpoints, says how many are still sent events, and can disable them later", async () => {
    await using it = await start();
    const { settings, userId, keys, service } = it;
    const statuses = async () => (await service.db.webhookEndpoint.findMany()).map((row) => row.disabledBecause);
    expect(await output(settings, "revoke", userId, "--keep-endpoints")).toBe(
      `Revoked 2 API keys. A running service can accept them for 5 more seconds.\n2 webhook endpoints of the user are still sent events; npm run -s plumbline -- user endpoints ${userId} shows them.`,
    );
    expect(await statuses()).toEqual([null, null]);
    expect(await output(settings, "revoke", keys.stolen)).toMatch(/^Revoked 0 API keys.*\nDisabled 1 webhook endpoints/);
    // What no API key has authorized stays until an operator names it.
    await service.db.webhookEndpoint.updateMany({ where: { disabledBecause: null }, data: { authorizedBy: null } });
    expect(await output(settings, "revoke", userId)).toMatch(/\n1 webhook endpoints of the user are still sent events/);
  }, 180_000);

  it("shows them without secrets, disables one so that its owner can't enable it, and enables it again", async () => {
    await using it = await start();
    const { settings, userId, ada, keys, mine, theirs, host } = it;
    const shown = (id: string, by: string, scopes: readonly string[], because: string | null = null) => ({
      ...{ id, host, events: ["message.created"], scopes, authorized_by: by, created_at: expect.any(String) },
      ...{ status: because === null ? "active" : "disabled", disabled_because: because },
    });
    const listed = async () => (await plumblineJson(settings, "user", "endpoints", userId)).lines;
    const first = shown(mine.id, keys.own, []);
    expect(await listed()).toEqual([first, shown(theirs.id, keys.stolen, ["conversations:read"])]);
    const text = await output(settings, "endpoints", userId);
    expect(text).toContain(`${theirs.id}  ${host}  active\n`);
    expect(text).toContain(`authorized by plumb_${keys.stolen}_…\n  events message.created\n  scopes conversations:read`);
    for (const secret of ["secret", mine.secret, theirs.secret]) expect(text).not.toContain(secret);

    // One that its owner has disabled can become the operator's, so that nothing enables it again.
    await ada("PATCH", theirs.path, { status: "disabled" });
    expect(await output(settings, "disable-endpoint", theirs.id)).toMatch(/is disabled, and its user is notified/);
    expect(await listed()).toEqual([first, shown(theirs.id, keys.stolen, ["conversations:read"], "operator")]);
    expect(await ada("PATCH", theirs.path, { status: "active" })).toMatchObject({
      status: 409,
      body: { code: "disabled_by_operator" },
    });
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.disabled")).body.data).toMatchObject([
      {
        body: `The operator has disabled it. It sent events to ${host}. Ask the operator if you need it.`,
        resource: { id: theirs.id },
      },
    ]);
    const again = await userCommand(settings, "disable-endpoint", theirs.id);
    expect(again).toMatchObject({ exit: 1, stderr: expect.stringMatching(/has disabled it already/) });
    expect((await plumblineJson(settings, "user", "enable-endpoint", theirs.id)).lines).toEqual([
      { id: theirs.id, status: "active", disabled_because: null },
    ]);
    expect(await stateOf(ada, theirs)).toBe("sends");
    const { lines } = await plumblineJson(settings, "audit-log", "--user", userId);
    expect(lines.slice(2).map((action) => [action.action, action.details])).toEqual([
      ["endpoint.disable", { endpoint_id: theirs.id }],
      ["endpoint.enable", { endpoint_id: theirs.id }],
    ]);
  }, 180_000);
});

describe("plumbline user rejects", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
  });
  afterAll(() => service.close());

  it.each([
    ["no verb", [], /^Name a verb\.\n\nplumbline user\n/],
    ["an unknown verb", ["remove", "x"], /^Did you mean revoke\?\n/],
    ["no name", ["add"], /^Only 0 of 1 arguments are given\.\n\nplumbline user add <name>\n/],
    ["a blank name", ["add", " \n "], /^The name has no character that can be seen\.\n$/],
    ["two names", ["add", "Ada", "Marsh"], /^Unknown argument: Marsh\n/],
    ["an unknown option", ["list", "--all"], /^Unknown argument: all\n/],
    ["a scope that does not exist", ["add", "Ada", "--scopes", "posts:read posts:admin"], /^There is no scope posts:admin\./],
    ["no user to revoke", ["revoke"], /^Only 0 of 1 arguments/],
    ["an invalid id", ["revoke", "ada"], /^ada is not the id of a key: /],
    ["an invalid user id", ["show", "ada"], /^ada is not an id, which is a UUID/],
    [
      "no subject to link",
      ["link", "01a1e35e-f078-759b-82a0-5d32985fb4e7", "--issuer", "https://id.example"],
      /^Missing required argument: subject\n/,
    ],
    ["no issuer to link", ["link", "01a1e35e-f078-759b-82a0-5d32985fb4e7", "--subject", "mara"], /^The issuer is missing\. /],
    [
      "a subject that is too long",
      ["link", "01a1e35e-f078-759b-82a0-5d32985fb4e7", "--issuer", "x", "--subject", "x".repeat(256)],
      /^The subject or the issuer is empty, too long or malformed\.\n$/,
    ],
    [
      "an unknown user to link",
      ["link", "01a1e35e-f078-759b-82a0-5d32985fb4e7", "--issuer", "x", "--subject", "x"],
      /^There is no user 01a1e35e/,
    ],
    ["a key for an unknown user", ["key", "01a1e35e-f078-759b-82a0-5d32985fb4e7"], /^There is no user 01a1e35e/],
    ["an unknown key to revoke", ["revoke", "0123456789ab"], /^There is no key plumb_0123456789ab_…\./],
    ["an unknown user with endpoints", ["endpoints", "01a1e35e-f078-759b-82a0-5d32985fb4e7"], /^There is no user 01a1e35e/],
    [
      "an unknown endpoint",
      ["disable-endpoint", "01a1e35e-f078-759b-82a0-5d32985fb4e7"],
      /^There is no webhook endpoint 01a1e35e/,
    ],
    [
      "to enable an endpoint that no operator has disabled",
      ["enable-endpoint", "01a1e35e-f078-759b-82a0-5d32985fb4e7"],
      /^There is no webhook endpoint 01a1e35e/,
    ],
    ["no endpoint", ["disable-endpoint"], /^Only 0 of 1 arguments/],
    ["an unknown user to revoke", ["revoke", "01a1e35e-f078-759b-82a0-5d32985fb4e7"], /^There is no user 01a1e35e/],
  ])("%s, with exit code 1 and a message on stderr without a stack trace", async (_what, args, reason) => {
    const outcome = await userCommand({ DATABASE_URL: service.databaseUrl }, ...args);
    expect(outcome).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringMatching(reason) });
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect(await service.db.user.count()).toBe(0);
  });
});
