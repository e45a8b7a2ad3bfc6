import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import { startOwnPostgres, type OwnPostgres } from "../faults/postgres.ts";
import { createClient, type Answer, type Body, type Client } from "../support/client.ts";
import { openConversation, withKey, type Conversation } from "../support/conversations.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import type { Running } from "../support/processes.ts";
import { seededRandom } from "../support/seed.ts";
import { sized } from "../support/size.ts";

const MESSAGES = sized(2_500, 10_000);
const WRITERS = 8;
const READERS = 8;
const FAULTS_PAUSE_MS = 1_000;
const LISTENERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plumbline changes'";

/** Sends a request again, to another process each time, until one returns a success. */
async function persistently(ask: (attempt: number) => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(attempt).catch(() => null);
    if (answer !== null && answer.status < 300) return answer;
    if (answer !== null && ![409, 503].includes(answer.status)) throw new Error(answer.text);
    await delay(20);
  }
}

/** One user at each of the processes. */
const at = (urls: readonly string[], { userId, userName: name, authorization }: Client) =>
  urls.map((url) => createClient(url, { userId, name, authorization: authorization! }));

/** Reads with `wait` until it has so many messages. Returns their numbers. */
async function readAll(clients: readonly Client[], { messages }: Conversation, start: string, first: number) {
  const sequences: number[] = [];
  let cursor = start;
  while (sequences.length < MESSAGES) {
    const { body } = await persistently((n) =>
      clients[(first + n) % clients.length]!("GET", `${messages}?limit=100&wait=5&after=${cursor}`),
    );
    // A page has its newest message first.
    sequences.push(...body.data.map((it: Body) => it.sequence as number).toReversed());
    cursor = body.page.prev_cursor;
  }
  return sequences;
}

type Site = {
  readonly deployment: Deployment;
  readonly postgres: OwnPostgres;
  readonly start: (index: number) => Promise<Running>;
};

/** Until it is stopped, kills and restarts processes and PostgreSQL, and closes the connections on which processes listen. */
async function doHarm({ postgres, start }: Site, processes: Running[], isOver: () => boolean, random: (below: number) => number) {
  const done: Record<string, number> = {};
  while (!isOver()) {
    await delay(FAULTS_PAUSE_MS);
    const fault = ["kill a process", "stop a process", "restart PostgreSQL", "kill PostgreSQL", "drop the listeners"][random(5)]!;
    const index = random(processes.length);
    if (fault.endsWith("a process")) {
      processes[index]!.child.kill(fault.startsWith("kill") ? "SIGKILL" : "SIGTERM");
      await processes[index]!.exited;
      processes[index] = await start(index);
    } else if (fault === "drop the listeners") await postgres.run(LISTENERS).catch(() => []);
    else {
      await postgres.end(fault.startsWith("kill") ? "SIGKILL" : "SIGINT");
      await postgres.accepts();
    }
    done[fault] = (done[fault] ?? 0) + 1;
  }
  return done;
}

it(`${READERS} readers that wait get each of ${MESSAGES} messages once and in order, while processes and PostgreSQL are killed`, async () => {
  const random = seededRandom("nothing missed");
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(await mkdtemp(join(tmpdir(), "plumbline-waiting-")), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  const postgres = stack.use(await startOwnPostgres(folder));
  const ports = await freePorts(2);
  const deployment = stack.use(await createDeployment({ database: postgres }));
  const start = (index: number) =>
    deployment.start("api", { PORT: String(ports[index]), MAX_QUEUE_MS: "0", DATABASE_POOL_TIMEOUT_SECONDS: "2" });
  const processes = [await start(0), await start(1)];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);

  const ada = await deployment.as();
  const bo = await deployment.as();
  const conversation = await openConversation(ada, [bo]);
  const [writers, readers] = [at(urls, ada), at(urls, bo)];
  // Before the first message.
  const { prev_cursor: cursor } = (await readers[0]!("GET", conversation.messages)).body.page as { prev_cursor: string };
  const reading = Array.from({ length: READERS }, (_, reader) => readAll(readers, conversation, cursor, reader));
  let sent = 0;
  const write = async () => {
    for (let number = ++sent; number <= MESSAGES; number = ++sent) {
      const key = withKey(`message-${number}`);
      const body = { body: `Message ${number}` };
      await persistently((attempt) => writers[(number + attempt) % 2]!("POST", conversation.messages, body, key));
      // So that readers catch up, and wait.
      if (number % 20 === 0) await delay(random(60));
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, write));
  let isOver = false;
  const harm = doHarm({ deployment, postgres, start }, processes, () => isOver, random);
  const results = await writing
    .then(() => Promise.all(reading))
    .finally(() => {
      isOver = true;
      return harm;
    });
  const faults = await harm;
  const expected = Array.from({ length: MESSAGES }, (_, index) => index + 1);
  for (const sequences of results) expect(sequences).toEqual(expected);
  expect(Object.values(faults).reduce((sum, it) => sum + it, 0)).toBeGreaterThanOrEqual(5);
}, 600_000);
