import { findDisplayNameOf, setDisplayName } from "#generated/sql/auth/users.ts";
import { randomUUIDv7 } from "node:crypto";
import type { Tx } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, refusedInput } from "../failure.ts";
import { DIRECTION_CONTROLS } from "../util/printable.ts";
import { insertApiKey } from "./api-keys.ts";

const NAME_LENGTH_MAX = 100;

/**
 * Makes a name fit to be displayed: one line of limited length, without controls of terminals and of text direction. Null if
 * nothing visible remains.
 */
export function displayNameOf(text: string): string | null {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(DIRECTION_CONTROLS, "");
  const name = [...line.trim()].slice(0, NAME_LENGTH_MAX).join("");
  return /[^\p{Default_Ignorable_Code_Point}\s]/u.test(name) ? name : null;
}

/** Creates a user with one API key, and returns the key, which cannot be read again. */
export async function addUser(tx: Tx, displayName: string, scopes: readonly string[]) {
  const userId = randomUUIDv7();
  await tx.user.create({ data: { id: userId, displayName } });
  return { userId, apiKey: await insertApiKey(tx, { userId, scopes }) };
}

/** The ids that are not the id of a user. A deleted user is not a user, even while a job still removes what they had. */
export async function findUnknownUsers(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await tx.user.findMany({ where: { id: { in: [...ids] }, deletedAt: null }, select: { id: true } });
  return new Set(ids).difference(new Set(found.map((it) => it.id)));
}

/** The name of a user now; null if the user was deleted. A principal can have an earlier one, because credentials are cached. */
export const findDisplayName = async (runner: Runner, id: string): Promise<string | null> =>
  (await findDisplayNameOf(runner, { id }))?.displayName ?? null;

const NAME_RULE =
  "display_name must be visible text without spaces at its ends, control characters and characters that turn the direction of text.";

/** Changes the name of a user, unless it is one that `displayNameOf` would change. False if the user was deleted. */
export async function renameUser(runner: Runner, id: string, displayName: string): Promise<boolean> {
  if (displayNameOf(displayName) !== displayName)
    throw refusedInput("display_name_not_allowed", { in: "body", pointer: "/display_name", detail: NAME_RULE });
  return (await setDisplayName(runner, { id, displayName })) === 1;
}

/**
 * The failure for ids of a list in a body that are not the ids of users. Without a directory, it doesn't tell which they are: with
 * many ids at once, a client could find out who uses the service.
 */
export function unknownUsers(
  field: string,
  ids: readonly string[],
  unknown: ReadonlySet<string>,
  isDirectoryOn: boolean,
): Failure {
  if (!isDirectoryOn)
    return refusedInput("unknown_user", { in: "body", pointer: `/${field}`, detail: "Not all of these users exist." });
  const errors = ids.flatMap((id, index) => {
    const place = `${field}/${index}`;
    const detail = `${place} is not the id of a user.`;
    return unknown.has(id) ? [{ in: "body", pointer: `/${place}`, code: "unknown_user", detail } as const] : [];
  });
  const detail = errors.length === 1 ? errors[0]!.detail : `${errors.length} of these users don't exist.`;
  return new Failure("unknown_user", detail, { errors });
}
