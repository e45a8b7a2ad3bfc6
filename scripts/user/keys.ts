import { scopes as everyScope } from "#generated/operations.ts";
import { transaction, type Db } from "../../src/database/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { expireApiKey, insertApiKey, revokeApiKeys, rotateApiKey } from "../../src/auth/api-keys.ts";
import { addUser, displayNameOf } from "../../src/auth/users.ts";
import { disableAuthorized } from "../../src/webhooks/operators.ts";
import { countEnabled } from "../../src/webhooks/store.ts";
import type { keysIn } from "../operations/arguments.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import { requireUser } from "./user.ts";

/** How a new key is printed. */
type Printing = { readonly print?: string | undefined; readonly json: boolean };
type Creation = Printing & { readonly scopes?: string | undefined };

function scopesOf({ scopes }: Creation): readonly string[] {
  const wanted = scopes?.split(/[\s,]+/).filter((it) => it !== "") ?? everyScope;
  const unknown = wanted.filter((it) => !(everyScope as readonly string[]).includes(it));
  if (unknown.length > 0)
    throw new StartupError(`There is no scope ${unknown.join(" ")}. The scopes are ${everyScope.join(" ")}.`);
  return wanted;
}

/** A new key in the format of the options; null for the default text. */
function shown(
  { userId, apiKey }: { userId: string; apiKey: string },
  { json, print }: Printing,
  more: object = {},
): string | null {
  if (print !== undefined) return print === "key" ? apiKey : userId;
  return json ? JSON.stringify({ user_id: userId, api_key: apiKey, ...more }) : null;
}

/** The id of a key, which is not secret. */
const idOf = (apiKey: string) => apiKey.split("_")[1];

export const add = ({ name, ...options }: Creation & { readonly name: string }): Work => {
  const displayName = displayNameOf(name);
  if (displayName === null) throw new StartupError("The name has no character that can be seen.");
  const wanted = scopesOf(options);
  return async ({ db, config }) => {
    const made = await transaction(db, async (tx) => {
      const user = await addUser(tx, displayName, wanted);
      await audit({ db: tx, config }, "user.add", { user_id: user.userId, key_id: idOf(user.apiKey) });
      return user;
    });
    return (
      shown(made, options) ??
      `${displayName}\n  user id   ${made.userId}\n  API key   ${made.apiKey}\nThe key is not shown again.`
    );
  };
};

export const key = ({ userId, ...options }: Creation & { readonly userId: string }): Work => {
  const scopes = scopesOf(options);
  return async ({ db, config }) => {
    await requireUser(db, userId);
    const apiKey = await transaction(db, async (tx) => {
      const inserted = await insertApiKey(tx, { userId, scopes });
      await audit({ db: tx, config }, "key.add", { user_id: userId, key_id: idOf(inserted) });
      return inserted;
    });
    return shown({ userId, apiKey }, options) ?? `API key   ${apiKey}\nThe key is not shown again.`;
  };
};

const noKey = (id: string) => new StartupError(`There is no key plumb_${id}_… that works.`);

export const rotate =
  ({ keyId: id, grace: graceSeconds, ...options }: Printing & { readonly keyId: string; readonly grace: number }): Work =>
  async ({ db, config }) => {
    const rotated = await transaction(db, async (tx) => {
      const key = await rotateApiKey(tx, id, graceSeconds);
      if (key === null) throw noKey(id);
      const about = { user_id: key.userId, key_id: idOf(key.apiKey), old_key_id: id, expires_at: key.expiresAt };
      await audit({ db: tx, config }, "key.rotate", about);
      return key;
    });
    const expiry = rotated.expiresAt.toISOString();
    return (
      shown(rotated, options, { old_key_id: id, old_expires_at: expiry }) ??
      `API key   ${rotated.apiKey}\nThe key is not shown again. The old one, plumb_${id}_…, works until ${expiry}.`
    );
  };

type Expiry = {
  readonly keyId: string;
  readonly in?: number | undefined;
  readonly at?: Date | undefined;
  readonly json: boolean;
};

export const expire = ({ keyId: id, in: seconds, at: time, json }: Expiry): Work => {
  const at = seconds === undefined ? (time ?? null) : new Date(Date.now() + seconds * 1_000);
  return async ({ db, config }) => {
    const expiry = await transaction(db, async (tx) => {
      const expired = await expireApiKey(tx, id, at);
      if (expired === null) throw noKey(id);
      const { userId } = await tx.apiKey.findUniqueOrThrow({ where: { id } });
      await audit({ db: tx, config }, "key.expire", { user_id: userId, key_id: id, expires_at: expired });
      return expired.toISOString();
    });
    if (json) return JSON.stringify({ key_id: id, expires_at: expiry });
    return `The key plumb_${id}_… expires at ${expiry}. A running service can accept it for 5 more seconds.`;
  };
};

async function userOfKey(db: Db, id: string): Promise<string> {
  const found = await db.apiKey.findUnique({ where: { id } });
  if (found === null) throw new StartupError(`There is no key plumb_${id}_….`);
  return found.userId;
}

type Revocation = {
  readonly id: ReturnType<typeof keysIn>;
  readonly keepEndpoints: boolean;
  readonly json: boolean;
};

/**
 * Also disables the webhook endpoints that the keys have authorized: endpoints of a stolen key would still send the data that it
 * could read.
 */
export const revoke =
  ({ id: { userId: allOf, keyId }, keepEndpoints, json }: Revocation): Work =>
  async ({ db, config }) => {
    const userId = allOf ?? (await userOfKey(db, keyId));
    await requireUser(db, userId);
    const { keys, disabled, enabled } = await transaction(db, async (tx) => {
      const revoked = await revokeApiKeys(tx, userId, keyId ?? undefined);
      const ended = keepEndpoints ? 0 : await disableAuthorized(tx, userId, keyId ?? undefined);
      const about = { user_id: userId, ...(keyId !== null && { key_id: keyId }), keys: revoked, disabled_endpoints: ended };
      await audit({ db: tx, config }, "key.revoke", about);
      return { keys: revoked, disabled: ended, enabled: await countEnabled(tx, userId) };
    });
    if (json) return JSON.stringify({ user_id: userId, keys, disabled_endpoints: disabled, enabled_endpoints: enabled });
    const rest = `${enabled} webhook endpoints of the user are still sent events; npm run -s plumbline -- user endpoints ${userId} shows them.`;
    return [
      `Revoked ${keys} API keys. A running service can accept them for 5 more seconds.`,
      ...(disabled === 0 ? [] : [`Disabled ${disabled} webhook endpoints that they authorized.`]),
      ...(enabled === 0 ? [] : [rest]),
    ].join("\n");
  };
