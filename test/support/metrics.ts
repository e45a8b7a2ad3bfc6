import { eventually } from "./eventually.ts";

/** The metrics of a process at one time. */
export type Scrape = {
  readonly text: string;
  /** The names of all samples. */
  readonly names: ReadonlySet<string>;
  /** The sum of the samples with a name that have these labels, or null if there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number | null;
};

/** Reads the metrics as Prometheus does. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}.`);
  const samples = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === "") throw new Error(`This is not a sample: ${line}`);
      return { name, labels, value: Number(value?.replace("+Inf", "Infinity")) };
    });
  return {
    text,
    names: new Set(samples.map(({ name }) => name)),
    sum(name, labels = {}) {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const found = samples.filter((it) => it.name === name && wanted.every((part) => it.labels.split(",").includes(part)));
      return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
    },
  };
}

/** A service with METRICS_PORT. */
type Observed = { readonly metricsUrl: string };

/** How many requests wait for something new. */
export async function waitingOf({ metricsUrl }: Observed): Promise<number> {
  return (await scrape(metricsUrl)).sum("plumbline_http_requests_waiting")!;
}

/** Waits until so many requests wait. */
export async function waitingReach(service: Observed, count: number): Promise<void> {
  await eventually(`${count} requests that wait`, async () => (await waitingOf(service)) === count);
}
