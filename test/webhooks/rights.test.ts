import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { insertApiKey, revokeApiKeys } from "../../src/auth/api-keys.ts";
import { disableByOperator } from "../../src/webhooks/operators.ts";
import type { Body, Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { createIssuer } from "../support/tokens.ts";

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

  it("when its url or its scopes change, but not when they stay or something else changes", async () => {
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
  });

  it("with the advice, also if the host is as long as a url can be", async () => {
    const ada = await service.as();
    const url = `https://${"a".repeat(2_000)}.example.org/`;
    const scopes = ["conversations:read", "notifications:read", "video_uploads:read"];
    expect((await ada("POST", "/webhook-endpoints", { ...ENDPOINT, url, scopes })).status).toBe(201);
    expect((await notices(ada))[0].body).toMatch(new RegExp(`${ADVICE}$`));
  });

  it("at the other endpoints that ask for notifications, and not at the new one", async () => {
    const ada = await service.as();
    const first = await createEndpoint(ada, RECEIVER, ["notification.created"]);
    const second = await createEndpoint(ada, RECEIVER, ["notification.created"]);
    const events = async (path: string) => (await ada("GET", `${path}/deliveries`)).body.data.map((it: Body) => it.event);
    expect([await events(first.path), await events(second.path)]).toEqual([["notification.created"], []]);
  });

  it("not if it is not created", async () => {
    const ada = await service.as();
    for (let count = 0; count < 10; count++) await createEndpoint(ada, RECEIVER, ["message.created"]);
    expect((await ada("POST", "/webhook-endpoints", ENDPOINT)).body.code).toBe("endpoint_limit_reached");
    expect(await notices(ada)).toHaveLength(10);
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

  it("can't be an API key that was revoked, not even while the service still accepts it", async () => {
    const ada = await service.as();
    const stolen = await anotherKey(ada);
    const { path } = await createEndpoint(stolen.client, RECEIVER, ["message.created"]);
    await revokeApiKeys(service.db, ada.userId, stolen.id);
    const refused = { status: 401, body: { code: "invalid_token" } };
    expect(await stolen.client("POST", "/webhook-endpoints", ENDPOINT)).toMatchObject(refused);
    for (const change of [{ url: "https://elsewhere.example.org/" }, { events: ["notification.created"] }, { status: "active" }])
      expect(await stolen.client("PATCH", path, change)).toMatchObject(refused);
    expect((await ada("GET", "/webhook-endpoints")).body.data).toMatchObject([ENDPOINT]);
  });
});

describe("a replay of the creation", () => {
  it("is refused to a credential without the scopes of the endpoint", async () => {
    const ada = await service.as();
    const key = withKey("with-text");
    expect((await ada("POST", "/webhook-endpoints", READING, key)).status).toBe(201);
    const { client: weaker } = await anotherKey(ada, LIMITED);
    const replay = await weaker("POST", "/webhook-endpoints", READING, key);
    expect(replay).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(replay.text).not.toContain("whsec_");
  });

  it("returns after the deletion of the endpoint what happened, and creates no other one", async () => {
    const ada = await service.as();
    const create = () => ada("POST", "/webhook-endpoints", ENDPOINT, withKey("deleted-since"));
    const first = await create();
    expect((await ada("DELETE", first.headers.get("location")!)).status).toBe(204);
    const replay = await create();
    expect({ status: replay.status, body: replay.body }).toEqual({ status: 201, body: first.body });
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect((await ada("GET", "/webhook-endpoints")).body.data).toEqual([]);
  });
});

describe("a credential without the scopes of an endpoint", () => {
  it("can disable it, but neither enable it nor change anything else with it", async () => {
    const ada = await service.as();
    const { path } = await createEndpoint(ada, RECEIVER, ["message.created"], ["conversations:read"]);
    const { client: weaker } = await anotherKey(ada, LIMITED);
    const refused = { status: 403, body: { code: "insufficient_scope" } };
    expect(await weaker("PATCH", path, { status: "disabled", description: "Mine" })).toMatchObject(refused);
    expect((await ada("GET", path)).body.status).toBe("active");
    expect(await weaker("PATCH", path, { status: "disabled" })).toMatchObject({
      status: 200,
      body: { status: "disabled", disabled_because: "owner" },
    });
    expect(await weaker("PATCH", path, { status: "active" })).toMatchObject(refused);
  });
});

describe("an endpoint that the operator has disabled", () => {
  it("stays so, whatever its owner sends, until it is deleted", async () => {
    const ada = await service.as();
    const { id, path } = await createEndpoint(ada, RECEIVER, ["message.created"]);
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
});
