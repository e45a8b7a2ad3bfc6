import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import { startOwnPostgres, type OwnPostgres } from "../faults/postgres.ts";
import type { Answer } from "../support/client.ts";
import { openConversation, withKey } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { createEndpoint, startReceiver, verify, type Receiver } from "../support/receiver.ts";
import type { Running } from "../support/processes.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";

/** Each message is an event for two endpoints. */
const MESSAGES = sized(1_000, 5_000);
const WRITERS = 8;
const FAULTS_PAUSE_MS = sized(1_000, 1_500);
const FAULTS_MIN = sized(8, 12);
/** Makes all events due, and all endpoints ready for them, so that the test doesn't last for a day. */
const HURRY = [
  "UPDATE webhook_endpoints SET resume_at = NULL",
  "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at > now()",
];

/** Sends a request again until one returns a success. */
async function persistently(ask: () => Promise<Answer>): Promise<void> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null && answer.status < 300) return;
    if (answer !== null && ![409, 503].includes(answer.status)) throw new Error(answer.text);
    await delay(20);
  }
}

/** What a receiver can do wrong, and what a receiver that works does. */
const MISBEHAVIOUR: Readonly<Record<string, Receiver["respond"]>> = {
  "returns 500": (_received, res) => res.writeHead(500).end(),
  "returns 302": (_received, res) => res.writeHead(302, { Location: "http://127.0.0.1:9/" }).end(),
  resets: (_received, _res, req) => req.socket.resetAndDestroy(),
  "is slow": (_received, res) => setTimeout(() => res.writeHead(204).end(), 3_000),
  "never ends its response": (_received, res) => res.writeHead(200).write("…"),
  works: (_received, res) => res.writeHead(204).end(),
};

type Site = {
  readonly postgres: OwnPostgres;
  readonly startWorker: () => Promise<Running>;
  readonly receivers: readonly Receiver[];
  worker: Running;
};

/** Until it is over, and at least `FAULTS_MIN` times, lets a receiver misbehave, kills the worker, or restarts PostgreSQL. Returns how often it did which. */
async function doHarm(site: Site, isOver: () => boolean, random: (below: number) => number) {
  const done: Record<string, number> = {};
  const faults = [...Object.keys(MISBEHAVIOUR), "kill the worker", "stop the worker", "restart PostgreSQL", "kill PostgreSQL"];
  for (let count = 0; !isOver() || count < FAULTS_MIN; count++) {
    await delay(FAULTS_PAUSE_MS);
    const fault = faults[random(faults.length)]!;
    if (fault.endsWith("the worker")) {
      site.worker.child.kill(fault.startsWith("kill") ? "SIGKILL" : "SIGTERM");
      await site.worker.exited;
      site.worker = await site.startWorker();
    } else if (fault.endsWith("PostgreSQL")) {
      await site.postgres.end(fault.startsWith("kill") ? "SIGKILL" : "SIGINT");
      await site.postgres.accepts();
    } else site.receivers[random(site.receivers.length)]!.respond = MISBEHAVIOUR[fault]!;
    done[fault] = (done[fault] ?? 0) + 1;
  }
  return done;
}

it(`each of ${2 * MESSAGES} events arrives at least once and signed, while receivers, the worker and PostgreSQL fail`, async () => {
  const random = seededRandom("nothing lost");
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), "plumbline-webhooks-")), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  const postgres = stack.use(await startOwnPostgres(folder));
  const deployment = stack.use(await createDeployment({ database: postgres }));
  await deployment.start("api", { MAX_QUEUE_MS: "0", DATABASE_POOL_TIMEOUT_SECONDS: "2", RATE_LIMITS: "off" });
  const startWorker = () => deployment.start("worker");
  const receivers = [stack.use(await startReceiver()), stack.use(await startReceiver())];
  const site: Site = { postgres, startWorker, receivers, worker: await startWorker() };

  const [ada, ben] = [await deployment.as(), await deployment.as()];
  const endpoints = [
    await createEndpoint(ada, receivers[0]!, ["message.created"], ["conversations:read"]),
    await createEndpoint(ben, receivers[1]!, ["message.created"]),
  ];
  const conversation = await openConversation(ada, [ben]);
  let sent = 0;
  const write = async () => {
    for (let number = ++sent; number <= MESSAGES; number = ++sent) {
      const key = withKey(`message-${number}`);
      await persistently(() => (number % 2 === 0 ? ada : ben)("POST", conversation.messages, { body: `Message ${number}` }, key));
    }
  };
  let isOver = false;
  const harm = doHarm(site, () => isOver, random);
  await Promise.all(Array.from({ length: WRITERS }, write)).finally(() => {
    isOver = true;
    return harm;
  });
  for (const receiver of receivers) receiver.respond = MISBEHAVIOUR["works"]!;
  const missing = () =>
    receivers.map(({ received }) => MESSAGES - new Set(received.map((it) => it.body.data.sequence as number)).size);
  await eventually(
    "every event at its receiver",
    async () => {
      for (const statement of HURRY) await postgres.run(statement).catch(() => []);
      return missing().every((it) => it === 0);
    },
    240_000,
    2_000,
  );
  process.stderr.write(`${JSON.stringify(await harm)}; requests: ${receivers.map((it) => it.received.length).join(", ")}\n`);
  for (const [index, { received }] of receivers.entries()) {
    for (const event of received) verify(event, endpoints[index]!.secret);
    // The same event has the same id in each attempt.
    expect(new Set(received.map((it) => it.id)).size).toBe(MESSAGES);
  }
}, 900_000);
