import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../support/client.ts";
import { createEndpoint, type Endpoint } from "../../support/receiver.ts";

/** What the receivers of one path do with a request. */
type Behaviour = (res: ServerResponse, sinceLastMs: number) => void;
export const answers: Behaviour = (res) => res.writeHead(204).end();
/** Answers the first request of each wave at once, and never the others. */
export const answersThenHangs: Behaviour = (res, sinceLastMs) => (sinceLastMs > 3_000 ? res.writeHead(204).end() : undefined);

/** Many receivers on one port, each with a path of its own. */
export type Receivers = AsyncDisposable & {
  readonly port: number;
  /** The URL of a new receiver. `host` is a name that leads here; by default, each receiver has an address of its own. */
  url(behaviour: Behaviour, host?: string): string;
  /** How often each event arrived, by its id. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  /** How many requests have arrived at receivers with a behaviour. */
  count(behaviour: Behaviour): number;
};

export async function startReceivers(): Promise<Receivers> {
  const byPath = new Map<string, { behaviour: Behaviour; lastMs: number }>();
  const arrivals = new Map<string, number[]>();
  const counts = new Map<Behaviour, number>();
  const server = createServer({ keepAliveTimeout: 1 }, (req, res) => {
    const atMs = performance.now();
    const receiver = byPath.get(req.url!)!;
    const id = String(req.headers["webhook-id"]);
    arrivals.set(id, [...(arrivals.get(id) ?? []), atMs]);
    counts.set(receiver.behaviour, (counts.get(receiver.behaviour) ?? 0) + 1);
    const sinceLastMs = atMs - receiver.lastMs;
    receiver.lastMs = atMs;
    req.resume();
    receiver.behaviour(res, sinceLastMs);
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    arrivals,
    count: (behaviour) => counts.get(behaviour) ?? 0,
    url(behaviour, host = `127.1.${byPath.size >> 8}.${byPath.size & 255}`) {
      const path = `/${byPath.size}`;
      byPath.set(path, { behaviour, lastMs: -Infinity });
      return `http://${host}:${port}${path}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type Honest = { readonly owner: Client; readonly endpoint: Endpoint };

/** Creates users with one endpoint each, whose receivers answer. */
export const startHonest = (as: () => Promise<Client>, receivers: Receivers, count: number, host?: (index: number) => string) =>
  Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Honest> => {
      const owner = await as();
      const url = receivers.url(answers, host?.(index));
      return { owner, endpoint: await createEndpoint(owner, { url }, ["message.created"]) };
    }),
  );

/** Creates users with ten endpoints each that get the events of messages. */
export const startUsers = (as: () => Promise<Client>, count: number, url: () => string, scopes: readonly string[] = []) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const owner = await as();
      const endpoints: Endpoint[] = [];
      for (let index = 0; index < 10; index++)
        endpoints.push(await createEndpoint(owner, { url: url() }, ["message.created"], scopes));
      return { owner, endpoints };
    }),
  );

export type Measured = {
  /** How long each event took from the request that caused it, in ascending order. */
  readonly times: readonly number[];
  readonly missing: number;
  /** Events that arrived more than once. */
  readonly duplicates: number;
};

/** The parts of a second at which the events of an endpoint begin, spread evenly: none keeps the phase of a loop in the service. */
const phase = (second: number) => (second * 0.618) % 1;

/** Sends a test event a second to each of these endpoints, and waits until all have arrived, or for `patienceMs` more. */
export async function measureEvents(
  all: readonly Honest[],
  { arrivals }: Receivers,
  { seconds, patienceMs = 60_000 }: { readonly seconds: number; readonly patienceMs?: number },
): Promise<Measured> {
  const sent = new Map<string, number>();
  await Promise.all(
    all.map(async ({ owner, endpoint }, index) => {
      const beganMs = performance.now() + (index * 1_000) / all.length;
      for (let second = 0; second < seconds; second++) {
        await delay(Math.max(0, beganMs + (second + phase(second)) * 1_000 - performance.now()));
        const startedMs = performance.now();
        const { status, body } = await owner("POST", `${endpoint.path}/deliveries`, {});
        if (status !== 202) throw new Error(`A test event was answered with ${status}.`);
        sent.set(body.id as string, startedMs);
      }
    }),
  );
  const untilMs = performance.now() + patienceMs;
  const missing = () => [...sent.keys()].filter((id) => !arrivals.has(id)).length;
  while (missing() > 0 && performance.now() < untilMs) await delay(100);
  const found = [...sent].flatMap(([id, startedMs]) => (arrivals.has(id) ? [arrivals.get(id)![0]! - startedMs] : []));
  return {
    times: found.sort((a, b) => a - b),
    missing: missing(),
    duplicates: [...sent.keys()].filter((id) => (arrivals.get(id)?.length ?? 0) > 1).length,
  };
}

/** The value below which a share of an ascending list lies. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
