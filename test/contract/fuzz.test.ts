import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { Answer } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { anyRequest, Pool, type Callers, type FuzzRequest } from "./support/fuzz-requests.ts";
import { hostile } from "./support/values.ts";
import { BYTES, createResources, gather, type People } from "../support/resources.ts";
import { randomOf, seededRandom, type Random } from "../support/seed.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const COUNT = sized(1_000, 20_000);
const AT_ONCE = 8;
const TIMEOUT_MS = 600_000;
/** How long to retry a request that was refused because the database was too slow, as on a busy machine. */
const REPEAT_MS = 60_000;

const service = prepare(() => startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: "20000" }));

/** Problem codes for a malformed request. */
const FORM = ["validation_failed", "malformed_body", "unsupported_media_type", "idempotency_key_required"];

it(
  `${COUNT} random requests from the contract get no 5xx and only declared responses, no error for a valid request and no success for a forbidden one`,
  async () => {
    const random = seededRandom("fuzz");
    const bad = hostile(random(2 ** 30));
    const { callers, people, pool } = await world();
    const counts = new Map<number, number>();
    const verdicts = new Map<string, number>();
    const reached = new Set<string>();
    const faults: string[] = [];
    let left = COUNT;

    async function one(request: FuzzRequest): Promise<void> {
      const fault = await send(request, (answer) => {
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        if (answer.status < 400) reached.add(request.operation.id);
        pool.learn(request, answer);
      });
      verdicts.set(String(request.verdict), (verdicts.get(String(request.verdict)) ?? 0) + 1);
      if (fault !== null) faults.push(fault);
    }
    async function work(own: Random): Promise<void> {
      while (left-- > 0 && faults.length < 5) await one(anyRequest(own, bad, pool, callers));
    }

    const startedMs = performance.now();
    // Each worker has its own random numbers, which don't depend on the order of the responses.
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(randomOf(random(2 ** 30)))));
    // Aims at operations that no random request has reached with success. Each attempt has its own resources.
    const missed = operations.filter((it) => !reached.has(it.id) && !UNREACHABLE.includes(it.id));
    for (const operation of missed) {
      for (let shot = 0; shot < SHOTS_MAX && !reached.has(operation.id) && faults.length < 5; shot++) {
        const scene = { ids: await createResources(operation, people), caller: people.owner, offset: String(BYTES.length) };
        await one(anyRequest(random, bad, pool, callers, { operation, scene }));
      }
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const sorted = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}×${count}`)
      .join(" ");
    process.stderr.write(
      `fuzz: ${[...counts.values()].reduce((a, b) => a + b, 0)} requests in ${seconds.toFixed(1)} s: ${sorted}; ${[...verdicts].map((it) => it.join(" ×")).join(", ")}; aimed at ${missed.map((it) => it.id).join(", ") || "none"}\n`,
    );

    expect(faults).toEqual([]);
    expect([...counts.keys()].filter((status) => status >= 500)).toEqual([]);
    // Most requests must have reached the operations, or the test would prove little.
    expect(missed.map((it) => it.id).filter((id) => !reached.has(id))).toEqual([]);
    expect(Math.min(...["fits", "body does not fit"].map((it) => verdicts.get(it) ?? 0))).toBeGreaterThan(COUNT / 50);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
  },
  TIMEOUT_MS,
);

/** How many aimed requests to send to one operation. */
const SHOTS_MAX = 100;
/** Without a worker, no video is ever finished. */
const UNREACHABLE = ["getVideoPoster", "getVideoRendition"];

/** Sends a request. Returns what is wrong with the response, or the error if there is none. */
async function send(request: FuzzRequest, learn: (answer: Answer) => void): Promise<string | null> {
  const { method, path, headers, body, caller, verdict } = request;
  const described = `${method} ${path} ${JSON.stringify(headers)} ${body === undefined ? "" : JSON.stringify(body.toString().slice(0, 500))}`;
  try {
    let answer = await caller(method, path, body, { headers });
    // On a busy machine, a connection can time out. That is a defect only if it happens every time. A HEAD has only the status.
    for (const sinceMs = performance.now(); answer.status === 503 && performance.now() - sinceMs < REPEAT_MS;) {
      await delay(Number(answer.headers.get("retry-after")) * 1_000);
      answer = await caller(method, path, body, { headers });
    }
    learn(answer);
    const code = answer.body?.code as string | undefined;
    if (answer.status >= 500) return `${answer.status} to ${described}: ${answer.text}`;
    if (verdict === "fits" && code !== undefined && FORM.includes(code))
      return `${answer.status} ${code} to what the contract allows: ${described}: ${answer.text}`;
    if (verdict === "body does not fit" && answer.status < 300 && method !== "HEAD")
      return `${answer.status} to what the contract forbids: ${described}`;
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return `${described}: ${message} ${cause instanceof Error ? cause.message : ""}`;
  }
}

/** Three users with every scope, one with half of them, two callers without a valid credential, and one resource of each kind. */
async function world(): Promise<{ callers: Callers; people: People; pool: Pool }> {
  const people = await gather(service);
  const pool = new Pool();
  for (const operation of operations) for (const [name, id] of await createResources(operation, people)) pool.add(name, id);
  const { owner, member, guest, stranger } = people;
  for (const { userId } of [owner, member, guest, stranger]) pool.add("user_id", userId);
  pool.add("seen", (await people.owner("GET", "/notifications?limit=1")).body.seen);
  const half = await service.as({ scopes: everyScope.filter((_, index) => index % 2 === 0) });
  return {
    pool,
    people,
    callers: {
      trusted: [people.owner, people.member, people.stranger],
      others: [half, service.anonymous(), service.anonymous(`Bearer plumb_${randomInt(10)}`)],
    },
  };
}
