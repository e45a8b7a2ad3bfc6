import type { Operations } from "../contract.ts";
import type { Db } from "../db/client.ts";
import { Failure } from "../failure.ts";

const CHECK_TIMEOUT_MS = 1_000;

type Parts = { readonly db: Db; readonly version: string; readonly isDraining: () => boolean };

export function serviceHandlers({ db, version, isDraining }: Parts): Operations<"getAccount" | "getHealth"> {
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
      if (isDraining()) throw new Failure("unavailable", "This process is shutting down.", { headers: { "Retry-After": "5" } });
      await within(CHECK_TIMEOUT_MS, db.$queryRaw`SELECT 1`);
      return { status: 200, body: { status: "pass", version } };
    },
  };
}

/** A database that hangs is as bad as one that is away, and a load balancer does not wait for either. */
async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } catch (error) {
    throw new Failure("unavailable", "The database does not answer.", { headers: { "Retry-After": "1" }, cause: error });
  } finally {
    clearTimeout(timer);
  }
}
