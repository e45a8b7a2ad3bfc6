import type { DistributionOptions } from "../../src/database/distribution/index.ts";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { missingCitus } from "../support/citus.ts";
import type { Client } from "../support/client.ts";
import { cpuMs } from "../support/processes.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { startDistributedCluster } from "../support/distributed-cluster.ts";
import { startPrimary, type PostgresNode } from "../support/postgres-nodes.ts";
import { call, currentCommit, log, positiveInteger, runBenchmark } from "./harness.ts";
import { cpuOfPostgres, cpuSince, parentOf } from "./processes.ts";

const USAGE = `Measures what a request costs on one PostgreSQL and on three nodes of Citus, and how many bytes a row takes.
That is CPU of the API process and of each node. prisma/CAPACITY.md calculates with these figures.

Usage: npm run bench -- capacity [--count N] [--shards N]

  --count N   how many requests of each kind are measured; the default is 2000
  --shards N  how many shards each table of the cluster has; the default is that of plumbline database distribute

Without a PostgreSQL that can load Citus, it measures only one PostgreSQL.`;

const options = { count: { type: "string", default: "2000" }, shards: { type: "string" } } as const;
/** How many requests are in progress at once. */
const CONNECTIONS = 8;
const PAIRS = 64;
const CIRCLES = 8;
const CIRCLE = 50;
const TEXT = "The slates come on Thursday, early in the morning. Can you help to unload them?";
const TABLES = [
  "users",
  "conversations",
  "members",
  "listed_conversations",
  "messages",
  "notifications",
  "idempotency_keys",
  "posts",
  "short_urls",
];
const SESSIONS = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()`;

type Created = { readonly id: string };
type Sent = readonly [client: Client, method: "GET" | "POST", path: string, body?: object];

await runBenchmark({ usage: USAGE, options }, async ({ values }) => {
  const count = positiveInteger(values.count);
  const missing = missingCitus();
  console.log(`${new Date().toISOString().slice(0, 16)} UTC, commit ${currentCommit()}, ${count} requests of each kind.`);
  await measureOne(count);
  const shards = values.shards === undefined ? undefined : positiveInteger(values.shards);
  if (missing === null) await measureCluster(count, { shards });
  else log(`SKIPPED: three nodes of Citus: ${missing}`);
});

async function measureOne(count: number): Promise<void> {
  await using primary = await startPrimary();
  await migrateDatabase(primary.url);
  await measure({ name: "One PostgreSQL", nodes: { PostgreSQL: primary } }, count);
}

async function measureCluster(count: number, distribution: DistributionOptions): Promise<void> {
  await using cluster = await startDistributedCluster({}, distribution);
  const { coordinator } = cluster;
  const [one, other] = cluster.workers;
  await measure({ name: "Three nodes of Citus", nodes: { coordinator, "worker 1": one!, "worker 2": other! } }, count);
}

type Subject = { readonly name: string; readonly nodes: Readonly<Record<string, PostgresNode>> };

/** The service connects to the first node. */
async function measure({ name, nodes }: Subject, count: number): Promise<void> {
  const all = Object.values(nodes);
  const [first] = all as [PostgresNode];
  await using deployment = await createDeployment({ database: first });
  const api = await deployment.start("api", { LOG_LEVEL: "error", RATE_LIMITS: "off", MAX_QUEUE_MS: "0" });
  const { url } = await api.ready();
  const requests = await openRequests(deployment, url);
  const postmasters = await Promise.all(all.map(postmasterOf));
  const cpu = async () => ({
    api: await cpuMs(api.pid),
    nodes: await Promise.all(postmasters.map((it) => cpuOfPostgres(it, DATABASE))),
  });
  const lines: (readonly unknown[])[] = [];
  for (const [kind, next] of Object.entries(requests)) {
    await send(url, next, Math.ceil(count / 10));
    const before = await cpu();
    await send(url, next, count);
    const after = await cpu();
    const usedMs = [after.api - before.api, ...after.nodes.map((now, n) => cpuSince(before.nodes[n]!, now))];
    lines.push([kind, ...usedMs.map((ms) => Math.round((ms * 1_000) / count))]);
    log(`${name}: ${kind}`);
  }
  print(`${name}: CPU of a request in microseconds`, ["request", "API process", ...Object.keys(nodes)], lines);
  if (all.length === 1) print("Bytes of a row and of its part of the indexes", ["table", "rows", "bytes"], await sizes(first));
  const sessions = await Promise.all(all.map(async (it) => (await it.ask(SESSIONS))[0]!["n"]));
  console.log(`\n${name}: sessions of one API process on each node: ${sessions.join(", ")}`);
}

/** The parent of the checkpointer, which lasts as long as the server. */
async function postmasterOf({ ask }: PostgresNode): Promise<number> {
  const [row] = await ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
  return parentOf(row!["pid"] as number);
}

/** The kinds of requests, each with the next one to send. */
async function openRequests(deployment: Deployment, origin: string): Promise<Readonly<Record<string, () => Sent>>> {
  const users = await Promise.all(Array.from({ length: PAIRS * 2 }, () => deployment.as()));
  const open = async (owner: Client, others: readonly Client[]) => {
    const { id } = await call<Created>(origin, owner, "POST", "/conversations", { member_ids: others.map((it) => it.userId) });
    return [owner, `/conversations/${id}/messages`] as const;
  };
  const shorten = async (owner: Client) => {
    const { id } = await call<Created>(origin, owner, "POST", "/urls", { target_url: "https://example.com/a/long/path" });
    return [owner, `/urls/${id}`] as const;
  };
  const pairs = await Promise.all(Array.from({ length: PAIRS }, (_, n) => open(users[2 * n]!, [users[2 * n + 1]!])));
  const others = users.slice(CIRCLES, CIRCLES + CIRCLE - 1);
  const circles = await Promise.all(users.slice(0, CIRCLES).map((it) => open(it, others)));
  const urls = await Promise.all(users.map(shorten));
  const roundRobin = <T>(all: readonly T[]) => {
    let n = 0;
    return () => all[n++ % all.length]!;
  };
  const at = ([client, path]: readonly [Client, string], method: "GET" | "POST") => [client, method, path] as const;
  const [pair, circle, read, url, user] = [
    roundRobin(pairs),
    roundRobin(circles),
    roundRobin(pairs),
    roundRobin(urls),
    roundRobin(users),
  ];
  return {
    "message to 1 other member": () => [...at(pair(), "POST"), { body: TEXT }],
    [`message to ${CIRCLE - 1} other members`]: () => [...at(circle(), "POST"), { body: TEXT }],
    "page of messages": () => at(read(), "GET"),
    "page of conversations": () => [user(), "GET", "/conversations"],
    "page of notifications": () => [user(), "GET", "/notifications"],
    "new post": () => [user(), "POST", "/posts", { title: "Slates", body: TEXT }],
    "new short URL": () => [user(), "POST", "/urls", { target_url: "https://example.com/another/path" }],
    "short URL": () => at(url(), "GET"),
  };
}

/** Sends so many requests, some of them at once. The first that fails ends the command. */
async function send(origin: string, next: () => Sent, count: number): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await call(origin, ...next());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

/** Without the space that deleted and changed rows leave. */
async function sizes({ ask }: PostgresNode): Promise<(readonly unknown[])[]> {
  const lines: (readonly unknown[])[] = [];
  for (const table of TABLES) {
    await ask(`VACUUM FULL ${table}`);
    const [row] = await ask(
      `SELECT (SELECT count(*) FROM ${table})::int AS rows, pg_total_relation_size('${table}')::int AS bytes`,
    );
    const { rows, bytes } = row as { rows: number; bytes: number };
    lines.push([table, rows, Math.round(bytes / rows)]);
  }
  return lines;
}

function print(title: string, head: readonly string[], lines: readonly (readonly unknown[])[]): void {
  const row = (cells: readonly unknown[]) => `| ${cells.join(" | ")} |`;
  console.log(`\n${title}\n\n${[row(head), row(head.map(() => "---")), ...lines.map(row)].join("\n")}`);
}
