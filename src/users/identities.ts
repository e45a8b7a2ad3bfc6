import { randomUUIDv7 } from "node:crypto";
import { isUniqueViolation } from "../database/database-failure.ts";
import type { Db } from "../database/client.ts";
import { StartupError } from "../startup-error.ts";
import { displayNameOf } from "./users.ts";

/** The `iss` and the `sub` of a JWT. At most one user has it. */
export type Identity = { readonly issuer: string; readonly subject: string };

const SUBJECT_LENGTH_MAX = 255;
const ISSUER_LENGTH_MAX = 500;

/** Whether it is one that can be stored. */
export const isIdentity = ({ issuer, subject }: Identity): boolean =>
  isText(issuer, ISSUER_LENGTH_MAX) && isText(subject, SUBJECT_LENGTH_MAX);

const isText = (text: string, lengthMax: number) => text !== "" && text.length <= lengthMax && !text.includes("\0");

/** The user of an identity; the first valid token makes it, once, however many come at the same time. */
export async function findOrInsertUser(db: Db, { issuer, subject, name }: Identity & { readonly name: string | null }) {
  const found = await db.user.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (found !== null) return found;
  const displayName = displayNameOf(name ?? "") ?? displayNameOf(subject) ?? "Unnamed";
  await db.user.createMany({ data: { id: randomUUIDv7(), displayName, issuer, subject }, skipDuplicates: true });
  return db.user.findUniqueOrThrow({ where: { issuer_subject: { issuer, subject } } });
}

/**
 * Gives an existing user an identity, so that API keys and JWTs stand for the same one. An identity is never taken from
 * another user, whose resources would then be out of reach. Throws a StartupError that says in a sentence why not.
 */
export async function linkUser(db: Db, userId: string, identity: Identity): Promise<void> {
  try {
    const { count } = await db.user.updateMany({ where: { id: userId, issuer: null, subject: null }, data: identity });
    if (count === 1) return;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const { id } = await db.user.findUniqueOrThrow({ where: { issuer_subject: identity } });
    throw new StartupError(
      `The JWTs of ${identity.subject} already belong to user ${id}, which their first request created. Create an API key for that user instead: npm run -s user -- key ${id}`,
    );
  }
  const { issuer, subject } = await db.user.findUniqueOrThrow({ where: { id: userId } });
  if (issuer !== identity.issuer || subject !== identity.subject)
    throw new StartupError(`User ${userId} is already linked to ${subject} of ${issuer}. Unlink it first.`);
}

/** Takes the identity from a user, if it has one: the next JWT that speaks of it makes another user. */
export async function unlinkUser(db: Db, userId: string): Promise<void> {
  await db.user.update({ where: { id: userId }, data: { issuer: null, subject: null } });
}
