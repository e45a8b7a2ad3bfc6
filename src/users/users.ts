import { randomUUIDv7 } from "node:crypto";
import type { Tx } from "../database/client.ts";
import { insertApiKey } from "./api-keys.ts";

const NAME_LENGTH_MAX = 100;

/** A name as it may be shown, on one line and not too long; null when nothing is left of it. */
export function displayNameOf(text: string): string | null {
  const line = text.toWellFormed().replaceAll(/[\0-\x1f\x7f]+/g, " ");
  return [...line.trim()].slice(0, NAME_LENGTH_MAX).join("") || null;
}

/** Makes a user with one API key, and returns the key: it cannot be shown again. */
export async function addUser(tx: Tx, displayName: string, scopes: readonly string[]) {
  const userId = randomUUIDv7();
  await tx.user.create({ data: { id: userId, displayName } });
  return { userId, apiKey: await insertApiKey(tx, { userId, scopes }) };
}

/** Those of the ids that name no user. */
export async function findUnknownUsers(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await tx.user.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  return new Set(ids).difference(new Set(found.map((it) => it.id)));
}
