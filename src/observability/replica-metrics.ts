import { Gauge, type Registry } from "prom-client";
import type { Replica } from "../database/replicas/replicas.ts";

/** Shows for each replica whether this process reads it. Without replicas, there is no sample. */
export function watchReplicas(registry: Registry, replicas: readonly Pick<Replica, "state">[]): void {
  new Gauge({
    name: "plumbline_replica_used",
    help: "1 if this process reads the replica, else 0: it is away, too far behind, or has another history than the primary.",
    labelNames: ["replica"],
    registers: [registry],
    collect() {
      for (const { name, problem } of replicas.map((it) => it.state())) this.set({ replica: name }, problem === null ? 1 : 0);
    },
  });
}
