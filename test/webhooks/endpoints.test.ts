import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { disableAuthorized, disableByOperator } from "../../src/webhooks/operators.ts";
import type { EventType } from "../../src/contract/contract.ts";
import { createEventValidation } from "../../src/http/validation/events.ts";
import type { Body, Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint } from "../support/receiver.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";
import { contract } from "../support/contract.ts";

const issuer = prepare(createIssuer);
const service = prepare(() => startTestService({ ROLE: "api", WEBHOOK_PRIVATE_ADDRESSES: "off", ...issuer.settings }));

const RECEIVER = { url: "https://hooks.example.org/a-secret-path?token=secret" };
const ENDPOINT = { ...RECEIVER, events: ["message.created"] };
const READING = { ...ENDPOINT, scopes: ["conversations:read"] };
const ADVICE = "If this wasn't you, delete it and ask the operator to revoke the key.";
const LIMITED = ["webhook_endpoints:read", "webhook_endpoints:write"];

/** Another key of a user, with its id. */
async function anotherKey({ userId }: Client, scopes: readonly string[] = everyScope) {
  const apiKey = await insertApiKey(service.db, { userId, scopes });
  return { client: service.anonymous(`Bearer ${apiKey}`), id: apiKey.split("_")[1]! };
}

const notices = async (client: Client): Promise<Body[]> => (await client("GET", "/notifications")).body.data;
const authorizedBy = async (id: string) => (await service.db.webhookEndpoint.findUniqueOrThrow({ where: { id } })).authorizedBy;

describe("the owner of a webhook endpoint is notified", () => {
  it("when it is created, once for all retries, with the host and without the rest of the url", async () => {
    const ada = await service.as();
    const create = () => ada("POST", "/webhook-endpoints", READING, withKey("one-endpoint"));
    const { id } = (await create()).body.endpoint;
    expect((await create()).headers.get("idempotency-replayed")).toBe("true");
    expect(await notices(ada)).toMatchObject([
      {
        kind: "webhook_endpoint.created",
        title: "A webhook endpoint of yours was created",
        body: `It sends events with what conversations:read can read to hooks.example.org. ${ADVICE}`,
        event_count: 1,
        actor: null,
        resource: { type: "webhook_endpoint", id, href: `/webhook-endpoints/${id}` },
      },
    ]);
    expect((await ada("GET", "/notifications?kind=webhook_endpoint.created")).body.data).toHaveLength(1);
    expect((await ada("GET", "/notifications")).text).not.toContain("secret");
  });

  const CHANGED =
    "You also get one when a webhook endpoint of yours is created, when its `url` or `scopes` change, and when the service disables it.";
  // That it is disabled is in deliveries.test.ts and limits.test.ts.
  it(`${sentence(CHANGED)} Not when they stay, also in another order, or something else changes`, async () => {
    const ada = await service.as();
    const { path } = await createEndpoint(ada, RECEIVER, ["message.created"], ["conversations:read"]);
    for (const same of [
      { description: "The site office", events: ["notification.created"] },
      { ...RECEIVER, scopes: ["conversations:read"] },
      { status: "disabled" },
      { status: "active" },
    ])
      expect((await ada("PATCH", path, same)).status).toBe(200);
    const changes = async () => (await ada("GET", "/notifications?kind=webhook_endpoint.changed")).body.data;
    expect(await changes()).toEqual([]);
    await ada("PATCH", path, { url: "https://elsewhere.example.org:8443/a-secret-path" });
    expect(await changes()).toMatchObject([
      {
        title: "A webhook endpoint of yours was changed",
        body: `It now sends events with what conversations:read can read to elsewhere.example.org:8443. ${ADVICE}`,
        event_count: 1,
        resource: { type: "webhook_endpoint", href: path },
      },
    ]);
    await ada("PATCH", path, { scopes: [] });
    expect(await changes()).toMatchObject([
      { body: `It now sends events with ids only to elsewhere.example.org:8443. ${ADVICE}`, event_count: 2 },
    ]);
    const scopes = ["notifications:read", "conversations:read"];
    for (const same of [scopes, scopes.toReversed()]) await ada("PATCH", path, { scopes: same });
    expect(await changes()).toMatchObject([{ event_count: 3 }]);
    await ada("PATCH", path, { scopes: ["conversations:read", "video_uploads:read"] });
    expect(await changes()).toMatchObject([{ event_count: 4 }]);
  });

  it("with the advice, also if the host is as long as a url can be", async () => {
    const ada = await service.as();
    const url = `https://${"a".repeat(2_000)}.example.org/`;
    const scopes = ["conversations:read", "notifications:read", "video_uploads:read"];
    expect((await ada("POST", "/webhook-endpoints", { ...ENDPOINT, url, scopes })).status).toBe(201);
    expect((await notices(ada))[0].body).toMatch(new RegExp(`${ADVICE}$`));
  });

  it(`at the other endpoints that ask for notifications. ${sentence("A new endpoint gets none about itself")}`, async () => {
    const ada = await service.as();
    const first = await createEndpoint(ada, RECEIVER, ["notification.created"]);
    const second = await createEndpoint(ada, RECEIVER, ["notification.created"]);
    const events = async (path: string) => (await ada("GET", `${path}/deliveries`)).body.data.map((it: Body) => it.event);
    expect([await events(first.path), await events(second.path)]).toEqual([["notification.created"], []]);
  });
});

describe("the credential that authorizes an endpoint", () => {
  it("is the API key that has created it or changed its url, events or scopes, or enabled it, the last time", async () => {
    const ada = await service.as();
    const [first, second] = [await anotherKey(ada), await anotherKey(ada)];
    const { id, path } = await createEndpoint(first.client, RECEIVER, ["message.created"]);
    expect(await authorizedBy(id)).toBe(first.id);
    for (const [sender, change, by] of [
      [second, { description: "The site office" }, first],
      [second, { status: "disabled" }, first],
      [second, { status: "active" }, second],
      [first, { url: "https://elsewhere.example.org/" }, first],
      [second, { events: ["notification.created"] }, second],
      [first, { scopes: ["conversations:read"] }, first],
    ] as const) {
      expect((await sender.client("PATCH", path, change)).status).toBe(200);
      expect(await authorizedBy(id)).toBe(by.id);
    }
  });

  it("is none for a JWT, also if it takes over the endpoint of a key", async () => {
    const jwt = service.anonymous(`Bearer ${await issuer.sign({ claims: { sub: "with-endpoints" } })}`);
    const { user_id: userId } = (await jwt("GET", "/account")).body;
    const key = await anotherKey({ userId } as Client);
    const { id, path } = await createEndpoint(key.client, RECEIVER, ["message.created"]);
    expect(await authorizedBy(id)).toBe(key.id);
    expect((await jwt("PATCH", path, { events: ["notification.created"] })).status).toBe(200);
    expect(await authorizedBy(id)).toBeNull();
    expect(await authorizedBy((await createEndpoint(jwt, RECEIVER, ["message.created"])).id)).toBeNull();
  });

  it("ends its endpoints when it is revoked, alone or with all keys of the user, and no endpoint that no key has authorized", async () => {
    const jwt = service.anonymous(`Bearer ${await issuer.sign({ claims: { sub: "with-two-keys" } })}`);
    const { user_id: userId } = (await jwt("GET", "/account")).body;
    const [stolen, other] = [await anotherKey({ userId } as Client), await anotherKey({ userId } as Client)];
    const paths: string[] = [];
    for (const it of [jwt, stolen.client, other.client])
      paths.push((await createEndpoint(it, RECEIVER, ["message.created"])).path);
    const reasons = () => Promise.all(paths.map(async (it) => (await jwt("GET", it)).body.disabled_because as unknown));
    expect(await disableAuthorized(service.db, userId, stolen.id)).toBe(1);
    expect(await reasons()).toEqual([null, "credential_revoked", null]);
    expect(await disableAuthorized(service.db, userId)).toBe(1);
    expect(await reasons()).toEqual([null, "credential_revoked", "credential_revoked"]);
  });

  it.each([
    ["was revoked", "revoked_at"],
    ["has expired", "expires_at"],
  ])("can't be an API key that %s, not even while the service still accepts it, or at the same time", async (_what, column) => {
    const ada = await service.as();
    const stolen = await anotherKey(ada);
    const { path } = await createEndpoint(stolen.client, RECEIVER, ["message.created"]);
    const refused = { status: 401, body: { code: "invalid_token" } };
    await using revoking = await hold(service.databaseUrl, `UPDATE api_keys SET ${column} = now() WHERE id = $1`, [stolen.id]);
    const during = stolen.client("POST", "/webhook-endpoints", ENDPOINT);
    await revoking.blocks(1);
    await revoking.query("COMMIT");
    expect(await during).toMatchObject(refused);
    expect(await stolen.client("POST", "/webhook-endpoints", ENDPOINT)).toMatchObject(refused);
    for (const change of [{ url: "https://elsewhere.example.org/" }, { events: ["notification.created"] }, { status: "active" }])
      expect(await stolen.client("PATCH", path, change)).toMatchObject(refused);
    expect((await ada("GET", "/webhook-endpoints")).body.data).toMatchObject([ENDPOINT]);
  });
});

it("a credential without the scopes of an endpoint can disable it, but neither create, enable or change it, nor send to another address", async () => {
  const ada = await service.as();
  const create = (by: Client) => by("POST", "/webhook-endpoints", READING, withKey("with-text"));
  const path = (await create(ada)).headers.get("location")!;
  const { client: weaker } = await anotherKey(ada, LIMITED);
  const [lacking, url] = [{ status: 403, body: { code: "insufficient_scope" } }, "https://elsewhere.example.org/"];
  // The first one is a replay.
  for (const refused of [await create(weaker), await weaker("POST", "/webhook-endpoints", READING)]) {
    expect(refused).toMatchObject(lacking);
    expect(refused.headers.get("www-authenticate")).toContain("conversations:read");
    expect(refused.text).not.toContain("whsec_");
  }
  expect(await weaker("POST", "/webhook-endpoints", ENDPOINT)).toMatchObject({ status: 201 });
  const withUrl = [{ url }, { url, status: "active" }, { url, status: "disabled" }];
  for (const change of [...withUrl, { status: "disabled", description: "Mine" }])
    expect(await weaker("PATCH", path, change)).toMatchObject(lacking);
  expect((await ada("GET", path)).body).toMatchObject({ status: "active", ...RECEIVER });
  const disabled = { status: "disabled", disabled_because: "owner" };
  expect(await weaker("PATCH", path, { status: "disabled" })).toMatchObject({ status: 200, body: disabled });
  expect(await weaker("PATCH", path, { status: "active" })).toMatchObject(lacking);
  expect((await weaker("PATCH", path, { url, scopes: [] })).body).toMatchObject({ url, scopes: [] });
});

it("an endpoint that the operator has disabled stays so, whatever its owner sends, until it is deleted", async () => {
  const ada = await service.as();
  const { id, path } = await createEndpoint(ada, RECEIVER, ["message.created"]);
  // Also one that is disabled already.
  await ada("PATCH", path, { status: "disabled" });
  expect(await disableByOperator(service.db, id)).toBe(ada.userId);
  const refused = { status: 409, body: { code: "disabled_by_operator" } };
  expect(await ada("PATCH", path, { status: "active" })).toMatchObject(refused);
  const disabled = { status: 200, body: { status: "disabled", disabled_because: "operator" } };
  for (const change of [{ status: "disabled" }, { url: "https://elsewhere.example.org/" }])
    expect(await ada("PATCH", path, change)).toMatchObject(disabled);
  expect(await ada("PATCH", path, { status: "active" })).toMatchObject(refused);
  expect((await ada("POST", `${path}/deliveries`, {})).body.code).toBe("endpoint_disabled");
  expect((await ada("DELETE", path)).status).toBe(204);
});

it("the deletion of an endpoint also removes the events that are written during it", async () => {
  const ada = await service.as();
  const { id, path } = await createEndpoint(ada, RECEIVER, ["message.created"]);
  await ada("POST", `${path}/deliveries`, {});
  const where = { endpointId: id };
  const { ownerId, event } = await service.db.webhookDelivery.findFirstOrThrow({ where });
  await using holder = await hold(service.databaseUrl, "SELECT FROM webhook_deliveries WHERE endpoint_id = $1::uuid FOR UPDATE", [
    id,
  ]);
  const deletion = ada("DELETE", path);
  await holder.blocks(1);
  const [at, late] = [new Date(), { id: randomUUIDv7(), ownerId, endpointId: id, event, data: { endpoint_id: id } }];
  await service.db.webhookDelivery.create({ data: { ...late, createdAt: at, delayedUntil: at, expiresAt: at } });
  await holder.release();
  expect((await deletion).status).toBe(204);
  expect(await service.db.webhookDelivery.count({ where })).toBe(0);
});

describe("POST /webhook-endpoints", () => {
  it(`${sentence("You can have 10 of them")}, of 30 that are sent at once. You are notified of these`, async () => {
    const ada = await service.as();
    const answers = await Promise.all(Array.from({ length: 30 }, () => ada("POST", "/webhook-endpoints", ENDPOINT)));
    expect(answers.filter((it) => it.status === 201)).toHaveLength(10);
    expect(answers.filter((it) => it.body.code === "endpoint_limit_reached")).toHaveLength(20);
    for (const list of ["/webhook-endpoints", "/notifications"]) expect((await ada("GET", list)).body.data).toHaveLength(10);
  });

  const ADDRESS = sentence("The https address of your receiver, without a user, a password or a fragment. It must be public.");
  it.each([
    "http://hooks.example.org/",
    "https://127.0.0.1/",
    "https://[::ffff:169.254.169.254]/",
    "https://2130706433/",
    "https://localhost/",
    "https://ada:secret@hooks.example.org/",
    "https://hooks.example.org/#part",
    "https://hooks.example.org:25/",
  ])(`${ADDRESS} Not %s`, async (url) => {
    const ada = await service.as();
    const { status, body } = await ada("POST", "/webhook-endpoints", { ...ENDPOINT, url });
    expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
      ...{ status: 422, code: "target_not_allowed" },
      ...{ pointer: "/url" },
    });
    expect((await ada("GET", "/webhook-endpoints")).body.data).toEqual([]);
  });

  it.each([{}, { status: "active" }, { status: "disabled" }, { scopes: [] }])(
    "refuses a change to an address that it can't send to, also with %j",
    async (more) => {
      const ada = await service.as();
      const { endpoint } = (await ada("POST", "/webhook-endpoints", ENDPOINT)).body;
      const path = `/webhook-endpoints/${endpoint.id}`;
      const refused = await ada("PATCH", path, { url: "https://10.0.0.1/", ...more });
      expect(refused).toMatchObject({ status: 422, body: { code: "target_not_allowed", errors: [{ pointer: "/url" }] } });
      expect((await ada("GET", path)).body.url).toBe(ENDPOINT.url);
    },
  );
});

const ONLY_A_RETRY = sentence("Only a retry with the same `Idempotency-Key` returns it again, for 72 hours.");
const FIRST = sentence("You get the secret of the first response, even if you have rotated it since.");
it(`${ONLY_A_RETRY} ${FIRST} After the deletion of the endpoint, a rotation is not found`, async () => {
  const ada = await service.as();
  const create = () => ada("POST", "/webhook-endpoints", ENDPOINT, withKey("the-endpoint"));
  const created = await create();
  const path = `/webhook-endpoints/${created.body.endpoint.id}`;
  const rotate = (key: string) => ada("POST", `${path}/secrets`, undefined, withKey(key));
  const rotated = await rotate("first-rotation");
  const again = await rotate("another-rotation");
  expect(new Set([created, rotated, again].map((it) => it.body.secret)).size).toBe(3);
  expect((await create()).body).toEqual(created.body);
  expect((await rotate("first-rotation")).body).toEqual(rotated.body);
  // The endpoint keeps the secret of the last rotation.
  const { secret } = await service.db.webhookEndpoint.findUniqueOrThrow({ where: { id: created.body.endpoint.id } });
  expect(secret).toBe(again.body.secret);
  const keys = await service.db.idempotencyKey.findMany({ where: { userId: ada.userId } });
  expect(keys.map((it) => Number(it.expiresAt) - Number(it.createdAt))).toEqual([1, 2, 3].map(() => 72 * 3_600_000));
  await ada("DELETE", path);
  expect((await rotate("first-rotation")).status).toBe(404);
  expect((await create()).body).toEqual(created.body);
});

it("PATCH /webhook-endpoints/{endpoint_id} changes only the fields that it is sent", async () => {
  const ada = await service.as();
  const { body } = await ada("POST", "/webhook-endpoints", { ...ENDPOINT, description: "The site office" });
  const path = `/webhook-endpoints/${body.endpoint.id}`;
  const { status, body: changed } = await ada("PATCH", path, { events: ["notification.created"] });
  expect({ status, changed }).toEqual({
    status: 200,
    changed: { ...body.endpoint, events: ["notification.created"], paused_until: null },
  });
  expect((await ada("GET", path)).body).toEqual(changed);
});

const check = createEventValidation(contract);
type Examples = Readonly<Record<string, { readonly value: { readonly data: object } }>>;
const examples = Object.entries(contract.webhooks!).flatMap(([type, { post }]) => {
  const media = post.requestBody.content["application/json"] as { readonly examples: Examples };
  return Object.values(media.examples).map(({ value }) => ({ type: type as EventType, value }));
});

describe("the validation of events", () => {
  it("has an example of each event", () => {
    expect(new Set(examples.map((it) => it.type)).size).toBe(Object.keys(contract.webhooks!).length);
  });

  it.each(examples)(
    "accepts the example of $type, and refuses it with a field more, a field less or another type",
    ({ type, value }) => {
      check(type, value);
      const { data, ...rest } = value;
      for (const wrong of [
        { ...value, leak: true },
        { ...value, data: { ...data, leak: true } },
        rest,
        { ...value, type: "other.event" },
      ])
        expect(() => check(type, wrong)).toThrow();
    },
  );
});
