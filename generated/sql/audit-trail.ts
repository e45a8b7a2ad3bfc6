// Generated: do not edit, run `npm run generate`. From src/audit-trail/store.sql.

import { affectedRows } from "../../src/database/statement.ts";

export type PurgeAuditEntriesParameters = {
  readonly batch: number;
};
export const purgeAuditEntries = affectedRows<PurgeAuditEntriesParameters>({
  name: "purge_audit_entries",
  text: `DELETE FROM audit_entries WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM audit_entries WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
  values: (it) => [it.batch],
});
