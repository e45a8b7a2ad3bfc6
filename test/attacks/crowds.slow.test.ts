import { randomBytes, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { expect, it } from "@jest/globals";
import { besiege, endure, ROUNDS_MAX } from "./support/attack.ts";
import { operations } from "../support/contract.ts";
import { dearRequests } from "../support/dearest.ts";
import { prepare } from "../support/prepare.ts";
import { missingIds } from "../support/resources.ts";
import { openSession } from "../support/database.ts";
import { sized } from "../support/size.ts";

const DEAR = sized(120, 500);
const FLOOD = sized(2_000, 10_000);
const TYPES = sized(400, 5_000);
/** The part of an attack that warms up the service. */
const WARM_UP = 0.25;

const service = prepare(besiege);

type Shot = { readonly method?: string; readonly path: string; readonly headers?: readonly string[]; readonly body?: string };

/**
 * Sends `count` requests over several connections, each as fast as the service responds. Returns the number of responses by
 * status.
 */
async function fire(connections: number, count: number, shot: (index: number) => Shot): Promise<Record<number, number>> {
  const { hostname, port } = new URL(service.url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses: Record<number, number> = {};
  let sent = 0;
  const one = ({ method = "GET", path, headers = [], body }: Shot) =>
    new Promise<void>((done, fail) => {
      const length = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body))];
      request({ hostname, port, agent, method, path, headers: ["Host", "x", ...headers, ...length] }, (incoming) => {
        statuses[incoming.statusCode!] = (statuses[incoming.statusCode!] ?? 0) + 1;
        incoming
          .resume()
          .on("end", () => done())
          .on("error", fail);
      })
        .on("error", fail)
        .end(body);
    });
  const shoot = async () => {
    while (sent < count) await one(shot(sent++));
  };
  await Promise.all(Array.from({ length: connections }, shoot));
  agent.destroy();
  return statuses;
}

const endured = (attack: (share: number) => Promise<unknown>) =>
  endure(service, () => attack(1), { warmUp: () => attack(WARM_UP) });

it(`${FLOOD} wrong tokens do not affect users at the same address`, async () => {
  await endured(async (share) => {
    const statuses = await fire(8, share * FLOOD, (index) => {
      const secret = randomBytes(32).toString("base64url");
      const id = randomBytes(6).toString("hex");
      const token = [`plumb_${id}_${secret}`, secret, `eyJhbGciOiJFZERTQSJ9.${secret}.${secret}`, `plumb_${"x".repeat(4_000)}`];
      return { path: "/account", headers: ["Authorization", `Bearer ${token[index % token.length]}`] };
    });
    expect(statuses[200]).toBeUndefined();
  });
}, 300_000);

it(`${DEAR} of the most expensive bodies of all operations, and ${TYPES} Content-Types, do not affect other users`, async () => {
  const attackers = await Promise.all(Array.from({ length: 48 }, () => service.as()));
  const dear = operations
    .filter((it) => it.body === "application/json")
    .flatMap((operation) =>
      attackers.map(({ authorization }) => dearRequests(operation, missingIds(operation), authorization!).slice(1)),
    );
  let types = 0;
  /** An invalid body of a type that no request has had before. By default, the validator would keep a compiled schema for each. */
  const typed = (index: number): Shot => {
    const headers = ["Authorization", attackers[index % attackers.length]!.authorization!];
    const type = index % 4 === 0 ? `application/vnd.x${types++}+json` : `application/json; x=${types++}`;
    return { method: "PATCH", path: `/posts/${randomUUID()}`, headers: [...headers, "Content-Type", type], body: '{"title":1}' };
  };
  await endured(async (share) => {
    const [statuses] = await Promise.all([
      fire(1, share * TYPES, typed),
      fire(4, share * DEAR, (index) => {
        const ofUser = dear[index % dear.length]!;
        return ofUser[index % ofUser.length]!.request;
      }),
    ]);
    expect(Object.keys(statuses)).toEqual(["400", "415"]);
  });
}, 300_000);

/** As many as one user can have in flight and write in a minute, with a margin. */
const BURST = 118;
/** One for the warm-up. */
const ROUNDS = 1 + ROUNDS_MAX;
const people = (count: number) => Promise.all(Array.from({ length: count }, () => service.as()));

it("a burst of expensive requests within the limits of one user is served, and doesn't affect other users", async () => {
  const ids = Array.from({ length: 99 }, () => randomUUID());
  await using client = await openSession(service.databaseUrl);
  await client.query("INSERT INTO users (id, display_name) SELECT id, 'A member' FROM unnest($1::uuid[]) AS id", [ids]);
  const body = JSON.stringify({ member_ids: ids });
  const users = await people(ROUNDS);
  let round = 0;
  await endured(async (share) => {
    const count = Math.ceil(share * BURST);
    const { authorization } = users[round++]!;
    const headers = ["Authorization", authorization!, "Content-Type", "application/json"];
    const statuses = await fire(count, count, (index) => ({
      method: "POST",
      path: "/conversations",
      headers: [...headers, "Idempotency-Key", `burst-${round}-${index}`],
      body,
    }));
    expect(statuses).toEqual({ 201: count });
  });
}, 300_000);

it("ten users with twelve requests each at any time don't affect other users, and none is refused", async () => {
  // More requests of one user would exceed the rate limit.
  const users = await people(10 * ROUNDS);
  await endured(async (share) => {
    const ten = users.splice(0, 10);
    const statuses = await fire(120, share * sized(480, 3_000), (index) => ({
      path: "/posts?limit=100",
      headers: ["Authorization", ten[index % 10]!.authorization!],
    }));
    expect(Object.keys(statuses)).toEqual(["200"]);
  });
}, 300_000);
