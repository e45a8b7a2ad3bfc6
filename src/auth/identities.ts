import { randomUUIDv7 } from "node:crypto";
import { isUniqueViolation } from "../database/database-failure.ts";
import type { Db } from "../database/client.ts";
import { StartupError } from "../util/startup-error.ts";
import { displayNameOf } from "./users.ts";

/** The `iss` and the `sub` of a JWT. At most one user has the same identity. */
export type Identity = { readonly issuer: string; readonly subject: string };

const SUBJECT_LENGTH_MAX = 255;
const ISSUER_LENGTH_MAX = 500;

/** Whether an identity can be stored exactly. In UTF-8, all lone surrogates become the same character. */
export const isIdentity = ({ issuer, subject }: Identity): boolean =>
  isText(issuer, ISSUER_LENGTH_MAX) && isText(subject, SUBJECT_LENGTH_MAX);

const isText = (text: string, lengthMax: number) =>
  text !== "" && text.length <= lengthMax && !text.includes("\0") && text.isWellFormed();

/** Finds or creates the user of an identity. Concurrent first tokens create only one user. */
export async function findOrInsertUser(db: Db, { issuer, subject, name }: Identity & { readonly name: string | null }) {
  const found = await db.user.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (found !== null) return found;
  const displayName = displayNameOf(name ?? "") ?? displayNameOf(subject) ?? "Unnamed";
  await db.user.createMany({ data: { id: randomUUIDv7(), displayName, issuer, subject }, skipDuplicates: true });
  return db.user.findUniqueOrThrow({ where: { issuer_subject: { issuer, subject } } });
}

/**
 * Links an identity to an existing user, so that their API keys and JWTs have the same user. Throws a StartupError if it belongs to another
 * user, who could no longer access their resources.
 */
export async function linkUser(db: Db, userId: string, identity: Identity): Promise<void> {
  try {
    const { count } = await db.user.updateMany({ where: { id: userId, issuer: null, subject: null }, data: identity });
    if (count === 1) return;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const { id } = await db.user.findUniqueOrThrow({ where: { issuer_subject: identity } });
    throw new StartupError(
      `The JWTs of ${identity.subject} already belong to user ${id}, which their first request created. Create an API key for that user instead: npm run -s plumbline -- user key ${id}`,
    );
  }
  const { issuer, subject } = await db.user.findUniqueOrThrow({ where: { id: userId } });
  if (issuer !== identity.issuer || subject !== identity.subject)
    throw new StartupError(`User ${userId} is already linked to ${subject} of ${issuer}. Unlink it first.`);
}

/** Removes the identity of a user, if there is one. The next JWT with that identity creates a new user. */
export async function unlinkUser(db: Db, userId: string): Promise<void> {
  await db.user.update({ where: { id: userId }, data: { issuer: null, subject: null } });
}
