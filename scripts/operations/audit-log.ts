import { findAuditEntries } from "../../src/audit-trail/store.ts";
import { printAll, type Position } from "./pages.ts";
import type { Work } from "./parts.ts";

type Entry = Awaited<ReturnType<typeof findAuditEntries>>[number];

const toJson = ({ id, createdAt, action, userId, details, operator, host, expiresAt }: Entry) =>
  JSON.stringify({ id, at: createdAt, action, user_id: userId, details, operator, host, ends_at: expiresAt });
const toLine = ({ createdAt, action, userId, details, operator, host }: Entry) =>
  [createdAt.toISOString(), action, userId ?? "-", JSON.stringify(details), `${operator}@${host}`].join("  ");

type Wanted = Position & { readonly user?: string | undefined; readonly since?: number | undefined; readonly json: boolean };

/** Prints the changes that operators have made with commands in the last year, oldest first. */
export const showAuditLog =
  ({ user, since, json, ...position }: Wanted): Work =>
  async ({ db }) => {
    const wanted = { userId: user ?? null, since: since === undefined ? null : new Date(Date.now() - since * 1_000) };
    const find = (after: string | null, take: number) => findAuditEntries(db, { ...wanted, after }, take);
    const printed = await printAll(find, json ? toJson : toLine, position);
    return printed === 0 && !json ? "No operator has changed anything in this time." : undefined;
  };
