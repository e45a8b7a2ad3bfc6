import type { Operations, Principal, Schemas } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import type { DatabaseProbe } from "../database/probe.ts";
import { Failure } from "../failure.ts";
import type { StoreProbe } from "../storage/store-probe.ts";
import { findDisplayName, renameUser } from "../auth/users.ts";

/** What the health of a process depends on, and where accounts are. */
type SystemParts = Pick<Connections, "pool"> & {
  readonly databaseProbe: DatabaseProbe;
  readonly storeProbe: Pick<StoreProbe, "check">;
  readonly version: string;
  readonly isDraining: () => boolean;
};

export function systemHandlers({ pool, databaseProbe, storeProbe, version, isDraining }: SystemParts): Operations<"Service"> {
  const passing = { status: 200, body: { status: "pass", version, service_version: version } } as const;
  return {
    async getAccount({ principal }) {
      const name = await findDisplayName(pool, principal.userId);
      if (name === null) throw deleted();
      return { status: 200, body: toAccount(principal, name) };
    },

    async updateAccount({ principal, body: { display_name: name } }) {
      if (!(await renameUser(pool, principal.userId, name))) throw deleted();
      return { status: 200, body: toAccount(principal, name) };
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

function toAccount({ userId, scopes, credential: { kind, expiresAt } }: Principal, name: string): Schemas["Account"] {
  return {
    user_id: userId,
    display_name: name,
    scopes: [...scopes].sort(),
    credential: { kind, expires_at: expiresAt?.toISOString() ?? null },
  };
}

/** A credential of a deleted user can be cached for some seconds. */
const deleted = () => new Failure("invalid_token", "The token is unknown, expired or revoked.");

const unavailable = (detail: string, retryAfterSeconds: number) => (cause: unknown) => {
  throw new Failure("unavailable", detail, { retryAfterSeconds, cause });
};
