import { beforeAll, describe, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { unwrap, WebhookVerificationError, type WebhookEvent } from "#generated/receivers/webhooks.ts";
import { contract } from "../support/contract.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, type Endpoint, type Received } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService());

describe("the module for receivers", () => {
  let endpoint: Endpoint;
  let received: Received;
  beforeAll(async () => {
    await using receiver = await startReceiver();
    const owner = await service.as();
    endpoint = await createEndpoint(owner, receiver, ["message.created"]);
    await owner("POST", `${endpoint.path}/deliveries`, {});
    [received] = (await receiver.events("webhook_endpoint.tested", 1)) as [Received];
  });

  const signed = (body: string, at = new Date()): Record<string, string> => ({
    "webhook-id": "an-id",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(endpoint.secret).sign("an-id", at, body),
  });

  it("returns an event that the service has sent, with its id, from every form of headers and of a body", () => {
    const expected = { id: received.id, ...(received.body as object) };
    for (const headers of [received.headers, new Headers(received.headers as Record<string, string>)])
      for (const body of [received.text, Buffer.from(received.text), new TextEncoder().encode(received.text)])
        expect(unwrap(headers, body, endpoint.secret)).toEqual(expected);
    const event: WebhookEvent = unwrap(received.headers, received.text, endpoint.secret)!;
    expect(event.type === "webhook_endpoint.tested" && event.data.endpoint_id).toBe(endpoint.id);
  });

  it("knows each event of the contract, and returns null for an event of a later version", () => {
    for (const type of Object.keys(contract.webhooks!)) {
      const body = JSON.stringify({ type, data: {}, new_field: "ä" });
      expect(unwrap(signed(body), body, endpoint.secret)).toEqual({ id: "an-id", type, data: {}, new_field: "ä" });
    }
    const later = JSON.stringify({ type: "post.created" });
    expect(unwrap(signed(later), later, endpoint.secret)).toBeNull();
  });

  it("refuses everything that the service has not signed with the secret, or long ago, by one error", () => {
    const { headers, text } = received;
    const otherSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    const refused: (readonly [what: string, ...Parameters<typeof unwrap>])[] = [
      ["another secret", headers, text, otherSecret],
      ["a changed body", headers, `${text} `, endpoint.secret],
      ["an empty body", headers, "", endpoint.secret],
      ["a body that is not UTF-8", headers, Buffer.from([0xff, 0xfe]), endpoint.secret],
      ["no headers", {}, text, endpoint.secret],
      ["an old event", signed(text, new Date(Date.now() - 6 * 60_000)), text, endpoint.secret],
      ["an event of the future", signed(text, new Date(Date.now() + 6 * 60_000)), text, endpoint.secret],
    ];
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      for (const value of [undefined, "", " ", ",", "v1", "v1,", "v1,AAAA", "v1,ä", "NaN", ["v1", "v1"], "v1 v1,", "v2,AAAA"])
        refused.push([`${name}: ${String(value)}`, { ...headers, [name]: value }, text, endpoint.secret]);
    for (const [what, ...request] of refused) {
      const attempt = () => {
        expect([what, unwrap(...request)]).toBe("refused");
      };
      expect(attempt).toThrow(WebhookVerificationError);
    }
  });

  it("takes the previous secret and the new one after a rotation", async () => {
    await using receiver = await startReceiver();
    const owner = await service.as();
    const { path, secret } = await createEndpoint(owner, receiver, ["message.created"]);
    const rotated = (await owner("POST", `${path}/secrets`, {})).body as { readonly secret: string };
    await owner("POST", `${path}/deliveries`, {});
    const [{ headers, text, id }] = (await receiver.events("webhook_endpoint.tested", 1)) as [Received];
    for (const it of [secret, rotated.secret]) expect(unwrap(headers, text, it)).toMatchObject({ id });
  });
});
