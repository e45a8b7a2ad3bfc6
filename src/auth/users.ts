import { findDisplayNameOf, setDisplayName } from "#generated/sql/auth/users.ts";
import { randomUUIDv7 } from "node:crypto";
import type { Tx } from "../database/client.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, refusedInput } from "../failure.ts";
import { inLine, isBlank } from "../util/text.ts";
import { insertApiKey } from "./api-keys.ts";

const NAME_LENGTH_MAX = 100;

/** Makes a name displayable: one line of limited length, without control characters. Null if nothing visible remains. */
export function displayNameOf(text: string): string | null {
  const name = [...inLine(text.toWellFormed()).trim()].slice(0, NAME_LENGTH_MAX).join("");
  return isBlank(name) ? null : name;
}

/** Creates a user with one API key, which can't be read again. */
export async function addUser(tx: Tx, displayName: string, scopes: readonly string[]) {
  const userId = randomUUIDv7();
  await tx.user.create({ data: { id: userId, displayName } });
  return { userId, apiKey: await insertApiKey(tx, { userId, scopes }) };
}

/** The ids without a user. Deleted users count as unknown, even before their erasure ends. */
export async function findUnknownUsers(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await tx.user.findMany({ where: { id: { in: [...ids] }, deletedAt: null }, select: { id: true } });
  return new Set(ids).difference(new Set(found.map((it) => it.id)));
}

/** The current name of a user; null for a deleted user. A cached principal can have an earlier name. */
export const findDisplayName = async (runner: Runner, id: string): Promise<string | null> =>
  (await findDisplayNameOf(runner, { id }))?.displayName ?? null;

const NAME_RULE =
  "display_name must be visible text without spaces at its ends, control characters and characters that turn the direction of text.";

/** Changes the name of a user. Refuses a name that `displayNameOf` would change. False for a deleted user. */
export async function renameUser(runner: Runner, id: string, displayName: string): Promise<boolean> {
  if (displayNameOf(displayName) !== displayName)
    throw refusedInput("display_name_not_allowed", { in: "body", pointer: "/display_name", detail: NAME_RULE });
  return (await setDisplayName(runner, { id, displayName })) === 1;
}

/**
 * The failure for unknown user ids in a list of a body. Without a directory, it doesn't name them, because clients could otherwise
 * enumerate users.
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
    const path = `${field}/${index}`;
    const detail = `${path} is not the id of a user.`;
    return unknown.has(id) ? [{ in: "body", pointer: `/${path}`, code: "unknown_user", detail } as const] : [];
  });
  const detail = errors.length === 1 ? errors[0]!.detail : `${errors.length} of these users don't exist.`;
  return new Failure("unknown_user", detail, { errors });
}
