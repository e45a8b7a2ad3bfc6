import { randomUUIDv7 } from "node:crypto";
import type { Tx } from "../database/client.ts";
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
