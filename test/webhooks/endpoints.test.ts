import { describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api", WEBHOOK_PRIVATE_ADDRESSES: "off" }));
const ENDPOINT = { url: "https://hooks.example.org/plumbline", events: ["message.created"] };

describe("POST /webhook-endpoints", () => {
  it("creates ten of 30 that are sent at once", async () => {
    const ada = await service.as();
    const answers = await Promise.all(Array.from({ length: 30 }, () => ada("POST", "/webhook-endpoints", ENDPOINT)));
    expect(answers.filter((it) => it.status === 201)).toHaveLength(10);
    expect(answers.filter((it) => it.body.code === "endpoint_limit_reached")).toHaveLength(20);
    expect((await ada("GET", "/webhook-endpoints")).body.data).toHaveLength(10);
  });

  it("returns the same secret to a retry, and shows it nowhere else", async () => {
    const ada = await service.as();
    const [first, second] = [
      await ada("POST", "/webhook-endpoints", ENDPOINT, withKey("the-same-endpoint")),
      await ada("POST", "/webhook-endpoints", ENDPOINT, withKey("the-same-endpoint")),
    ];
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
    const { secret, endpoint } = first.body;
    const shown = [await ada("GET", "/webhook-endpoints"), await ada("GET", `/webhook-endpoints/${endpoint.id}`)];
    for (const { text } of shown) expect(text).not.toContain(secret);
  });

  it.each([
    "http://hooks.example.org/",
    "https://127.0.0.1/",
    "https://[::ffff:169.254.169.254]/",
    "https://2130706433/",
    "https://localhost/",
    "https://ada:secret@hooks.example.org/",
    "https://hooks.example.org/#part",
    "https://hooks.example.org:25/",
  ])("refuses %s, and names the field", async (url) => {
    const ada = await service.as();
    const { status, body } = await ada("POST", "/webhook-endpoints", { ...ENDPOINT, url });
    expect({ status, code: body.code, pointer: body.errors[0].pointer }).toEqual({
      ...{ status: 422, code: "target_not_allowed" },
      ...{ pointer: "/url" },
    });
    expect((await ada("GET", "/webhook-endpoints")).body.data).toEqual([]);
  });
});

describe("the scopes of an endpoint", () => {
  const limited = ["webhook_endpoints:read", "webhook_endpoints:write"];

  it("are at most those of the credential that creates it", async () => {
    const ada = await service.as({ scopes: limited });
    const { status, headers, body } = await ada("POST", "/webhook-endpoints", { ...ENDPOINT, scopes: ["conversations:read"] });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "insufficient_scope" });
    expect(headers.get("www-authenticate")).toContain("conversations:read");
    expect((await ada("POST", "/webhook-endpoints", ENDPOINT)).status).toBe(201);
  });

  it("keep a credential without them from sending what they read to another address", async () => {
    const ada = await service.as();
    const { body } = await ada("POST", "/webhook-endpoints", { ...ENDPOINT, scopes: ["conversations:read"] });
    const path = `/webhook-endpoints/${body.endpoint.id}`;
    const weaker = await service.as({ scopes: limited });
    const { id } = await service.db.apiKey.findFirstOrThrow({ where: { userId: weaker.userId } });
    await service.db.apiKey.update({ where: { id }, data: { userId: ada.userId } });
    const url = "https://elsewhere.example.org/";
    expect((await weaker("PATCH", path, { url })).body).toMatchObject({ code: "insufficient_scope" });
    expect((await weaker("PATCH", path, { url, scopes: [] })).body).toMatchObject({ url, scopes: [] });
  });
});

describe("PATCH /webhook-endpoints/{endpoint_id}", () => {
  it("changes only the fields that it is sent", async () => {
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
});
