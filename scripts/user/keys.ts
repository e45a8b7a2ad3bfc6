import { scopes as everyScope } from "#generated/operations.ts";
import { UsageError } from "../../src/util/command.ts";
import { transaction, type Db } from "../../src/database/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { expireApiKey, insertApiKey, revokeApiKeys, rotateApiKey } from "../../src/auth/api-keys.ts";
import { addUser, displayNameOf } from "../../src/auth/users.ts";
import { isUuid } from "../../src/util/uuid.ts";
import { disableAuthorized } from "../../src/webhooks/operators.ts";
import { countEnabled } from "../../src/webhooks/store.ts";
import { idIn, secondsIn } from "../operations/arguments.ts";
import { audit } from "../operations/audit.ts";
import { requireUser, type Command, type Options } from "./command.ts";

function scopesOf({ scopes }: Options): readonly string[] {
  const wanted = scopes?.split(/[\s,]+/).filter((it) => it !== "") ?? everyScope;
  const unknown = wanted.filter((it) => !(everyScope as readonly string[]).includes(it));
  if (unknown.length > 0)
    throw new StartupError(`There is no scope ${unknown.join(" ")}. The scopes are ${everyScope.join(" ")}.`);
  return wanted;
}

/** Parses the id of a key, alone or as in `plumb_<id>_…`. */
function keyIdIn(text: string | undefined): string {
  const [, id] = /^(?:plumb_)?([a-z0-9]{12})(?:_.*)?$/.exec(text ?? "") ?? [];
  if (id === undefined) throw new UsageError();
  return id;
}

/** A new key in the format of the options; null for the default text. */
function shown(
  { userId, apiKey }: { userId: string; apiKey: string },
  { json, print }: Options,
  more: object = {},
): string | null {
  if (print !== undefined) return print === "key" ? apiKey : userId;
  return json ? JSON.stringify({ user_id: userId, api_key: apiKey, ...more }) : null;
}

/** The id of a key, which is not secret. */
const idOf = (apiKey: string) => apiKey.split("_")[1];

export const add: Command = (name, options) => {
  const displayName = displayNameOf(name ?? "");
  if (displayName === null) throw new UsageError();
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

export const key: Command = (argument, options) => {
  const [userId, scopes] = [idIn(argument), scopesOf(options)];
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

export const rotate: Command = (argument, options) => {
  const [id, graceSeconds] = [keyIdIn(argument), secondsIn(options.grace)];
  return async ({ db, config }) => {
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
};

function instantIn(options: Options): Date | null {
  if (options.in !== undefined && options.at !== undefined) throw new UsageError();
  if (options.in !== undefined) return new Date(Date.now() + secondsIn(options.in) * 1_000);
  if (options.at === undefined) return null;
  // With an offset, a time can be in the year 10000, which the API can't express.
  const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(options.at) && new Date(options.at).getUTCFullYear() < 10_000;
  if (!isTime) throw new StartupError(`${options.at} is not a time such as 2026-11-30T12:00:00Z.`);
  return new Date(options.at);
}

export const expire: Command = (argument, options) => {
  const [id, at] = [keyIdIn(argument), instantIn(options)];
  return async ({ db, config }) => {
    const expiry = await transaction(db, async (tx) => {
      const expired = await expireApiKey(tx, id, at);
      if (expired === null) throw noKey(id);
      const { userId } = await tx.apiKey.findUniqueOrThrow({ where: { id } });
      await audit({ db: tx, config }, "key.expire", { user_id: userId, key_id: id, expires_at: expired });
      return expired.toISOString();
    });
    if (options.json) return JSON.stringify({ key_id: id, expires_at: expiry });
    return `The key plumb_${id}_… expires at ${expiry}. A running service can accept it for 5 more seconds.`;
  };
};

/** The keys to revoke: all keys of a user, or one key. */
const keysIn = (text: string | undefined) =>
  text !== undefined && isUuid(text) ? { userId: text, keyId: null } : { userId: null, keyId: keyIdIn(text) };

async function userOfKey(db: Db, id: string): Promise<string> {
  const found = await db.apiKey.findUnique({ where: { id } });
  if (found === null) throw new StartupError(`There is no key plumb_${id}_….`);
  return found.userId;
}

/**
 * Also disables the webhook endpoints that the keys have authorized: endpoints of a stolen key would still send the data that it
 * could read.
 */
export const revoke: Command = (argument, options) => {
  const { userId: allOf, keyId } = keysIn(argument);
  return async ({ db, config }) => {
    const userId = allOf ?? (await userOfKey(db, keyId));
    await requireUser(db, userId);
    const { keys, disabled, enabled } = await transaction(db, async (tx) => {
      const revoked = await revokeApiKeys(tx, userId, keyId ?? undefined);
      const ended = options["keep-endpoints"] ? 0 : await disableAuthorized(tx, userId, keyId ?? undefined);
      const about = { user_id: userId, ...(keyId !== null && { key_id: keyId }), keys: revoked, disabled_endpoints: ended };
      await audit({ db: tx, config }, "key.revoke", about);
      return { keys: revoked, disabled: ended, enabled: await countEnabled(tx, userId) };
    });
    if (options.json) return JSON.stringify({ user_id: userId, keys, disabled_endpoints: disabled, enabled_endpoints: enabled });
    const rest = `${enabled} webhook endpoints of the user are still sent events; npm run -s user -- endpoints ${userId} shows them.`;
    return [
      `Revoked ${keys} API keys. A running service can accept them for 5 more seconds.`,
      ...(disabled === 0 ? [] : [`Disabled ${disabled} webhook endpoints that they authorized.`]),
      ...(enabled === 0 ? [] : [rest]),
    ].join("\n");
  };
};
