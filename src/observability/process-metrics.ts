import { performance } from "node:perf_hooks";
import { collectDefaultMetrics, Counter, Gauge, type Registry } from "prom-client";

/** Adds metrics of the process: version, CPU, memory, garbage collection and event loop. */
export function watchProcess(registry: Registry, version: string): void {
  collectDefaultMetrics({ register: registry });
  // Gauges with the names of counters. The same values exist by type.
  for (const what of ["handles", "requests", "resources"]) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  new Gauge({
    name: "plumbline_build_info",
    help: "Always 1. The labels are the versions of the service and of Node.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
  new Counter({
    name: "plumbline_event_loop_busy_seconds_total",
    help: "Time in which the event loop did not wait. Its rate is the share of the time in which the process is busy.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1_000);
    },
  });
}
