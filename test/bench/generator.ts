import { randomBytes } from "node:crypto";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Request } from "./loads.ts";
import { percentile } from "./stats.ts";

/** What the benchmark sends to this process. */
export type Order = {
  readonly origin: string;
  readonly requests: readonly Request[];
  readonly connections: number;
  /** How long requests are sent, each one chosen at random, or how many in all. */
  readonly seconds?: number;
  readonly count?: number;
  /** Requests per second. Without it, each connection sends its next request as soon as it has a response. */
  readonly rate?: number;
  /** Whether a 503 with `Retry-After` is a response that the service may give. */
  readonly mayRefuse?: boolean;
};
/**
 * The result of this process. `count` and the latencies are those of successful requests. `failure` says what the first wrong
 * response was.
 */
export type Measured = {
  readonly count: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refusals: { readonly count: number; readonly p50Ms: number; readonly p99Ms: number } | null;
  readonly failures: number;
  readonly failure: string | null;
};

type Prepared = { readonly options: http.RequestOptions; readonly isKeyed: boolean; readonly body: Buffer | null };

/** Connections stay open between the warm-up and the measurement of one subject. */
let open: { readonly origin: string; readonly agents: Map<number, http.Agent> } | null = null;
let keys = 0;
const RUN = randomBytes(6).toString("hex");

function agentFor(origin: string, connections: number): http.Agent {
  if (open?.origin !== origin) {
    for (const agent of open?.agents.values() ?? []) agent.destroy();
    open = { origin, agents: new Map() };
  }
  const most = { maxSockets: connections, maxFreeSockets: connections };
  const agent = open.agents.get(connections) ?? new http.Agent({ keepAlive: true, scheduling: "fifo", ...most });
  open.agents.set(connections, agent);
  return agent;
}

function prepare(origin: URL, agent: http.Agent, { method, path, key, headers: own, body, isKeyed }: Request): Prepared {
  const bytes = body === undefined ? null : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const headers: Record<string, string | number> = {
    host: origin.host,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(bytes === null ? {} : { "content-type": "application/json", "content-length": bytes.length }),
    ...own,
  };
  return {
    options: { agent, host: origin.hostname, port: origin.port, method, path, headers },
    isKeyed: isKeyed === true,
    body: bytes,
  };
}

/** The status, and the body if it is a wrong one. */
function send({ options, isKeyed, body }: Prepared): Promise<{ status: number; text: string; isRetryable: boolean }> {
  const headers = isKeyed ? { ...options.headers, "idempotency-key": `${RUN}-${++keys}` } : options.headers;
  return new Promise((resolve, reject) => {
    const request = http.request({ ...options, headers }, (response) => {
      const status = response.statusCode ?? 0;
      let text = "";
      if (isSuccess(status)) response.resume();
      else response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      const isRetryable = status === 503 && response.headers["retry-after"] !== undefined;
      response.on("end", () => resolve({ status, text, isRetryable }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

const isSuccess = (status: number) => status >= 200 && status < 400;

async function generate({ origin, requests, connections, seconds, count, rate, mayRefuse = false }: Order): Promise<Measured> {
  const agent = agentFor(origin, connections);
  const prepared = requests.map((it) => prepare(new URL(origin), agent, it));
  const latencies: number[] = [];
  const refusedLatencies: number[] = [];
  let failures = 0;
  let failure: string | null = null;
  const startedMs = performance.now();
  const deadlineMs = startedMs + (seconds ?? Infinity) * 1_000;
  let left = count ?? Infinity;
  const anyOne = () => prepared[Math.floor(Math.random() * prepared.length)]!;

  /** Sends a request that was due at an instant: what it waits for this process counts, too. */
  async function sendOne(dueMs: number, chosen: Prepared): Promise<void> {
    const lost = (error: Error) => ({ status: 0, text: error.message, isRetryable: false });
    const { status, text, isRetryable } = await send(chosen).catch(lost);
    const isRefused = mayRefuse && isRetryable;
    (isRefused ? refusedLatencies : latencies).push(performance.now() - dueMs);
    if (isSuccess(status) || isRefused) return;
    failures++;
    failure ??= `${chosen.options.method} ${chosen.options.path}: ${status} ${text.slice(0, 300)}`;
  }

  async function sendOneByOne(): Promise<void> {
    for (let nowMs = startedMs; nowMs < deadlineMs && left-- > 0; nowMs = performance.now()) await sendOne(nowMs, anyOne());
  }

  /** Sends at a fixed rate, whether earlier requests have ended or not. */
  async function sendAt(perSecond: number): Promise<void> {
    const sent: Promise<void>[] = [];
    for (let dueMs = startedMs; dueMs < deadlineMs; dueMs += 1_000 / perSecond) {
      while (performance.now() < dueMs) await delay(1);
      sent.push(sendOne(dueMs, anyOne()));
    }
    await Promise.all(sent);
  }

  await (rate === undefined ? Promise.all(Array.from({ length: connections }, sendOneByOne)) : sendAt(rate));
  return {
    count: latencies.length,
    seconds: (performance.now() - startedMs) / 1_000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    refusals:
      refusedLatencies.length === 0
        ? null
        : { count: refusedLatencies.length, p50Ms: percentile(refusedLatencies, 0.5), p99Ms: percentile(refusedLatencies, 0.99) },
    failures,
    failure,
  };
}

// If the benchmark has already ended, the outcome is not needed.
const report = (outcome: Measured) => process.send!(outcome, undefined, undefined, () => {});
process.on("message", (order: Order) => void generate(order).then(report));
process.on("disconnect", () => process.exit());
