import type { Operations } from "../contract/contract.ts";
import type { DatabaseProbe } from "../database/probe.ts";
import { Failure } from "../failure.ts";
import type { StoreProbe } from "../storage/store-probe.ts";

type HealthDeps = {
  readonly databaseProbe: DatabaseProbe;
  readonly storeProbe: Pick<StoreProbe, "check">;
  readonly version: string;
  readonly isDraining: () => boolean;
};
type HealthOperations = Pick<Operations<"Service">, "getHealth" | "getLiveness">;

export function healthHandlers({ databaseProbe, storeProbe, version, isDraining }: HealthDeps): HealthOperations {
  const passing = { status: 200, body: { status: "pass", version, service_version: version } } as const;
  return {
    async getHealth() {
      if (isDraining()) throw new Failure("unavailable", "This process is shutting down.", { retryAfterSeconds: 5 });
      await databaseProbe.check().catch(unavailable("The database does not answer.", 1));
      await storeProbe.check().catch(unavailable("Videos cannot be stored.", 5));
      return passing;
    },

    getLiveness: async () => passing,
  };
}

const unavailable = (detail: string, retryAfterSeconds: number) => (cause: unknown) => {
  throw new Failure("unavailable", detail, { retryAfterSeconds, cause });
};
