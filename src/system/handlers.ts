import type { Operations } from "../contract/contract.ts";
import type { DatabaseProbe } from "../database/probe.ts";
import { Failure } from "../failure.ts";
import type { StoreProbe } from "../storage/store-probe.ts";
import { serviceVersion } from "../util/version.ts";

/** What the health of a process depends on. */
type HealthSources = {
  readonly databaseProbe: DatabaseProbe;
  readonly storeProbe: Pick<StoreProbe, "check">;
  readonly version: string;
  readonly isDraining: () => boolean;
};

export function systemHandlers({ databaseProbe, storeProbe, version, isDraining }: HealthSources): Operations<"Service"> {
  const passing = { status: 200, body: { status: "pass", version, service_version: serviceVersion } } as const;
  return {
    async getAccount({ principal }) {
      const { kind, expiresAt } = principal.credential;
      return {
        status: 200,
        body: {
          user_id: principal.userId,
          display_name: principal.displayName,
          scopes: [...principal.scopes].sort(),
          credential: { kind, expires_at: expiresAt?.toISOString() ?? null },
        },
      };
    },

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
