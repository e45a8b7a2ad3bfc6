import { hostname, userInfo } from "node:os";
import { insertAuditEntry } from "../../src/audit-trail/store.ts";
import type { Config } from "../../src/config.ts";
import type { Tx } from "../../src/database/client.ts";

type About = Readonly<Record<string, unknown>> & { readonly user_id?: string };

/** Records a change by an operator in the database and, in production, on stderr. Call it in the transaction of the change. */
export async function audit(
  { db, config }: { readonly db: Tx; readonly config: Pick<Config, "NODE_ENV"> },
  action: string,
  { user_id: userId, ...details }: About,
): Promise<void> {
  const by = { operator: nameOfOperator(), host: hostname() };
  await insertAuditEntry(db, { action, userId: userId ?? null, details, ...by });
  if (config.NODE_ENV !== "production") return;
  const about = { ...(userId === undefined ? {} : { user_id: userId }), ...details };
  const line = { level: 30, time: Date.now(), audit: action, ...about, ...by };
  console.error(JSON.stringify({ ...line, msg: "an operator has changed something" }));
}

function nameOfOperator(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a user without a name.
    return String(process.getuid?.() ?? "unknown");
  }
}
