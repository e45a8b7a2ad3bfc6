import { Counter, Gauge, type Registry } from "prom-client";

/** Declares a counter, at 0 for each value of `label`: otherwise rate() and increase() miss the first event. */
export function counter(registry: Registry, name: string, help: string, label?: string, values: readonly string[] = []): Counter {
  const labelNames = label === undefined ? [] : [label];
  const result = new Counter({ name, help, labelNames, registers: [registry] });
  for (const value of values) result.inc({ [label!]: value }, 0);
  return result;
}

type Update = (gauge: Gauge) => void | Promise<void>;

/** Declares a gauge that `update` sets for each scrape. */
export function gauge(registry: Registry, name: string, help: string, update: Update, labelNames: readonly string[] = []): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      return update(this);
    },
  });
}
