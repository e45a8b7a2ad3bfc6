import { randomUUIDv7 } from "node:crypto";
import type { Prisma } from "#generated/prisma/client.ts";
import * as sql from "#generated/sql/audit-trail.ts";
import type { Tx } from "../database/client.ts";
import { purge } from "../database/purge.ts";

/** A change by an operator. The details are JSON without secrets and user ids. */
export type AuditEntry = {
  /** The object and the action, such as `key.rotate`. */
  readonly action: string;
  /** The affected user, if any. */
  readonly userId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly operator: string;
  readonly host: string;
};

/** Adds an entry, which expires after a year. Call it in the transaction of the change. */
export async function insertAuditEntry(tx: Tx, { details, ...entry }: AuditEntry): Promise<void> {
  await tx.auditEntry.create({ data: { id: randomUUIDv7(), ...entry, details: details as Prisma.InputJsonObject } });
}

type Page = { readonly userId: string | null; readonly since: Date | null; readonly after: string | null };

/** Entries in the order of their creation. */
export function findAuditEntries(tx: Tx, { userId, since, after }: Page, take: number) {
  return tx.auditEntry.findMany({
    where: {
      ...(userId === null ? {} : { userId }),
      ...(since === null ? {} : { createdAt: { gte: since } }),
      ...(after === null ? {} : { id: { gt: after } }),
    },
    orderBy: { id: "asc" },
    take,
  });
}

/** When the last entry about a user expires; null without one. */
export async function findEndOfAudit(tx: Tx, userId: string): Promise<Date | null> {
  const { _max: last } = await tx.auditEntry.aggregate({ where: { userId }, _max: { expiresAt: true } });
  return last.expiresAt;
}

/** Removes the details from all entries about a user, in one batch. */
export async function eraseAuditDetails(tx: Tx, userId: string): Promise<number> {
  await tx.auditEntry.updateMany({ where: { userId }, data: { details: {} } });
  return 0;
}

/** Removes expired entries in batches, and returns their number. */
export const purgeAuditEntries = (tx: Tx): Promise<number> => purge((batch) => sql.purgeAuditEntries(tx, { batch }));
