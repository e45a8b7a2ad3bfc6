import { Counter, type Metric, type Registry } from "prom-client";
import type { Operation } from "../contract/operations.ts";

/** In seconds: from a read out of memory to an upload of minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const BUCKETS_MS = BUCKETS.map((it) => it * 1_000);
const HISTOGRAM = {
  name: "plumbline_http_request_duration_seconds",
  help: "Time from the head of a request to the end of its response, by class of status.",
  type: "histogram",
} as const;

/** What is counted of an operation, method and status. The last bucket has no bound, and no bucket contains another one. */
type Tally = { readonly buckets: number[]; sumMs: number };
type Labels = { readonly operation: string; readonly method: string };

/**
 * Counts requests and their durations in plain numbers, and gives them to prom-client at each scrape: its own counters build a
 * text from the labels for each request, which takes longer than the counting.
 */
export function createTallies(registry: Registry) {
  const all = new Map<Operation | null, Map<string, Map<number | null, Tally>>>();
  new Counter({
    name: "plumbline_http_requests_total",
    help: "Requests that have ended. Documents and unknown paths have no operation; a response that never began has no status.",
    labelNames: ["operation", "method", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, tallies] of each())
        for (const [status, { buckets }] of tallies) this.inc({ ...labels, status: String(status ?? "none") }, sum(buckets));
    },
  });
  // prom-client has no way to set the buckets of its own histogram. The registry only needs this.
  const histogram = {
    ...HISTOGRAM,
    get: async () => ({ ...HISTOGRAM, aggregator: "sum", values: [...each()].flatMap(samplesOf) }),
  };
  registry.registerMetric(histogram as unknown as Metric);

  function* each(): Generator<readonly [Labels, ReadonlyMap<number | null, Tally>]> {
    for (const [operation, methods] of all)
      for (const [method, tallies] of methods) yield [{ operation: operation?.id ?? "none", method }, tallies];
  }

  /** Counts a request. Each method is a label, so only known ones can be given. */
  return (operation: Operation | null, method: string, status: number | null, durationMs: number): void => {
    let methods = all.get(operation);
    if (methods === undefined) all.set(operation, (methods = new Map<string, Map<number | null, Tally>>()));
    let tallies = methods.get(method);
    if (tallies === undefined) methods.set(method, (tallies = new Map<number | null, Tally>()));
    let tally = tallies.get(status);
    if (tally === undefined) tallies.set(status, (tally = { buckets: Array<number>(BUCKETS.length + 1).fill(0), sumMs: 0 }));
    let bucket = 0;
    while (bucket < BUCKETS_MS.length && durationMs > BUCKETS_MS[bucket]!) bucket++;
    tally.buckets[bucket]!++;
    tally.sumMs += durationMs;
  };
}

/** The samples of a histogram for each class of status, such as 2xx. */
function samplesOf([labels, tallies]: readonly [Labels, ReadonlyMap<number | null, Tally>]) {
  const classes = Map.groupBy(tallies, ([status]) => (status === null ? "none" : `${Math.floor(status / 100)}xx`));
  return [...classes].flatMap(([status_class, group]) => {
    const own = { ...labels, status_class };
    let count = 0;
    const bucketSamples = [...BUCKETS, "+Inf"].map((le, index) => {
      count += sum(group.map(([, { buckets }]) => buckets[index]!));
      return { metricName: `${HISTOGRAM.name}_bucket`, labels: { ...own, le }, value: count };
    });
    return [
      ...bucketSamples,
      { metricName: `${HISTOGRAM.name}_sum`, labels: own, value: sum(group.map(([, { sumMs }]) => sumMs)) / 1_000 },
      { metricName: `${HISTOGRAM.name}_count`, labels: own, value: count },
    ];
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, it) => total + it, 0);
