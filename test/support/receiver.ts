import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import type { Body, Client } from "./client.ts";
import { contract, flawsOf } from "./contract.ts";
import { eventually } from "./eventually.ts";

/** A request as it arrived. */
export type Received = {
  readonly id: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Body;
};

/** What a receiver does with a request; by default, it returns 204. */
type Respond = (received: Received, res: ServerResponse, req: IncomingMessage) => unknown;

export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** All requests so far. */
  readonly received: readonly Received[];
  /** How many connections were closed without a request. */
  readonly unusedConnections: () => number;
  /** Changes what the receiver does from now on. */
  respond: Respond;
  /** Waits for a number of requests with events of a type, and returns them. */
  readonly events: (type: string, count: number) => Promise<readonly Received[]>;
};

/** Starts a real HTTP server, as the owner of an endpoint runs it. */
export async function startReceiver(respond: Respond = (_received, res) => res.writeHead(204).end()): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    void text(req).then(
      (body) => {
        const it = { id: String(req.headers["webhook-id"]), headers: req.headers, text: body, body: JSON.parse(body) };
        received.push(it);
        return receiver.respond(it, res, req);
      },
      () => undefined,
    );
  });
  let unused = 0;
  server.on("connection", (socket) => socket.once("close", () => (unused += socket.bytesRead === 0 ? 1 : 0)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    unusedConnections: () => unused,
    respond,
    events: (type, count) =>
      eventually(`${count} events ${type}`, () => {
        const found = received.filter((it) => it.body.type === type);
        return found.length >= count ? found : null;
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return receiver;
}

/** What an owner knows of an endpoint. */
export type Endpoint = { readonly id: string; readonly path: string; readonly secret: string };

/** Creates an endpoint of a user at a receiver. */
export async function createEndpoint(
  owner: Client,
  { url }: Pick<Receiver, "url">,
  events: readonly string[],
  scopes: readonly string[] = [],
): Promise<Endpoint> {
  const answer = await owner("POST", "/webhook-endpoints", { url, events, scopes });
  if (answer.status !== 201) throw new Error(`The endpoint was not created: ${answer.text}`);
  const { endpoint, secret } = answer.body as { endpoint: { id: string }; secret: string };
  return { id: endpoint.id, path: `/webhook-endpoints/${endpoint.id}`, secret };
}

/**
 * Checks a request as its receiver should: with a library for Standard Webhooks, and with plain HMAC. Checks its body against the
 * contract with a validator that the service doesn't use. Throws an error if something is wrong.
 */
export function verify({ headers, text: body, id }: Received, secret: string): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key)
    .update(`${id}.${String(headers["webhook-timestamp"])}.${body}`)
    .digest();
  const signatures = String(headers["webhook-signature"])
    .split(" ")
    .map((it) => Buffer.from(it.slice("v1,".length), "base64"));
  if (!signatures.some((it) => it.length === expected.length && timingSafeEqual(it, expected)))
    throw new Error("No signature fits.");
  const { type } = JSON.parse(body) as { type: string };
  const media = contract.webhooks![type]!.post.requestBody.content["application/json"] as { schema: { $ref: string } };
  const flaws = flawsOf(media.schema, JSON.parse(body));
  if (flaws !== null) throw new Error(`The event doesn't match the contract: ${flaws}`);
}
