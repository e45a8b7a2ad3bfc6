import { findUsersByName, type FindUsersByNameRow as UserRow } from "#generated/sql/users.ts";
import type { Runner } from "../database/statement.ts";
import { Failure } from "../failure.ts";

/** How many users a search finds. There are no further pages, so that clients can't list all users. */
const MATCHES_MAX = 20;

/** The first users whose names begin with a text, and whether there are more. */
export async function searchUsers(
  pool: Runner,
  isDirectoryOn: boolean,
  text: string,
): Promise<{ readonly users: readonly UserRow[]; readonly isTruncated: boolean }> {
  if (!isDirectoryOn)
    throw new Failure("directory_disabled", "The operator of this service doesn't allow searching for users by name.");
  const found = await findUsersByName(pool, { beginning: text.trimStart(), most: MATCHES_MAX + 1 });
  return { users: found.slice(0, MATCHES_MAX), isTruncated: found.length > MATCHES_MAX };
}

/** The failure for a deleted user, whose credential can be cached for some seconds. */
export const deletedCaller = () => new Failure("invalid_token", "The token is unknown, expired or revoked.");
