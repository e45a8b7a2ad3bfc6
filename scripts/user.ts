import { scopes as everyScope } from "#generated/operations.ts";
import { runCommand, UsageError } from "../src/command.ts";
import { readConfig } from "../src/config.ts";
import type { Db } from "../src/database/client.ts";
import { StartupError } from "../src/startup-error.ts";
import { insertApiKey, revokeApiKeys } from "../src/users/api-keys.ts";
import { isIdentity, linkUser, unlinkUser } from "../src/users/identities.ts";
import { addUser, displayNameOf } from "../src/users/users.ts";
import { openDatabase } from "./database.ts";

const USAGE = `Creates and lists users and their API keys, whether the service runs or not.

Usage:
  npm run -s user -- add NAME [--scopes "posts:read posts:write"]   create a user, and print the id and an API key
  npm run -s user -- key USER_ID [--scopes "..."]                   create another API key for a user
  npm run -s user -- link USER_ID --subject SUB [--issuer ISS]      link the subject of JWTs to a user
  npm run -s user -- unlink USER_ID                                 remove that link
  npm run -s user -- list                                           show the users and their keys
  npm run -s user -- revoke USER_ID                                 revoke all API keys of a user

Options of add, key and list:
  --json             print JSON
  --print key|id     print only the API key or the id of the user, for a shell (add and key)`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const options = {
  scopes: { type: "string" },
  issuer: { type: "string" },
  subject: { type: "string" },
  print: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

type Command = (db: Db) => Promise<string>;
type Options = {
  readonly scopes?: string | undefined;
  readonly issuer?: string | undefined;
  readonly subject?: string | undefined;
  readonly print?: string | undefined;
  readonly json: boolean;
};

function commandOf(command: string | undefined, subject: string | undefined, options: Options): Command {
  if (!["key", "id", undefined].includes(options.print)) throw new UsageError();
  if (command === "add") return add(subject, options);
  if (command === "list" && subject === undefined) return list(options);
  const act =
    command === "key" ? key : command === "link" ? link : command === "unlink" ? unlink : command === "revoke" ? revoke : null;
  if (act === null || subject === undefined || !UUID.test(subject)) throw new UsageError();
  const run = act(subject, options);
  return async (db) => {
    if ((await db.user.findUnique({ where: { id: subject } })) === null) throw new StartupError(`There is no user ${subject}.`);
    return run(db);
  };
}

function scopesOf({ scopes }: Options): readonly string[] {
  const wanted = scopes?.split(/[\s,]+/).filter((it) => it !== "") ?? everyScope;
  const unknown = wanted.filter((it) => !(everyScope as readonly string[]).includes(it));
  if (unknown.length > 0)
    throw new StartupError(`There is no scope ${unknown.join(" ")}. The scopes are ${everyScope.join(" ")}.`);
  return wanted;
}

function add(name: string | undefined, options: Options): Command {
  const displayName = displayNameOf(name ?? "");
  if (displayName === null) throw new UsageError();
  const wanted = scopesOf(options);
  return async (db) => {
    const made = await addUser(db, displayName, wanted);
    return (
      shown(made, options) ??
      `${displayName}\n  user id   ${made.userId}\n  API key   ${made.apiKey}\nThe key is not shown again.`
    );
  };
}

function key(userId: string, options: Options): Command {
  const scopes = scopesOf(options);
  return async (db) => {
    const apiKey = await insertApiKey(db, { userId, scopes });
    return shown({ userId, apiKey }, options) ?? `API key   ${apiKey}\nThe key is not shown again.`;
  };
}

/** A new key in the form that the options ask for; null if they ask for none. */
function shown({ userId, apiKey }: { userId: string; apiKey: string }, { json, print }: Options): string | null {
  if (print !== undefined) return print === "key" ? apiKey : userId;
  return json ? JSON.stringify({ user_id: userId, api_key: apiKey }) : null;
}

function link(userId: string, { issuer, subject }: Options): Command {
  if (issuer === undefined || subject === undefined || !isIdentity({ issuer, subject })) throw new UsageError();
  return async (db) => {
    await linkUser(db, userId, { issuer, subject });
    return `The JWTs of ${subject}, issued by ${issuer}, now belong to user ${userId}.`;
  };
}

function unlink(userId: string): Command {
  return async (db) => {
    await unlinkUser(db, userId);
    return `No JWTs belong to user ${userId} now. A running service can accept them for 5 more seconds.`;
  };
}

function list({ json }: Options): Command {
  return async (db) => {
    const rows = await db.user.findMany({
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      include: { apiKeys: { orderBy: { createdAt: "asc" } } },
    });
    const users = rows.map((it) => ({
      user_id: it.id,
      display_name: it.displayName,
      issuer: it.issuer,
      subject: it.subject,
      api_keys: it.apiKeys.map((key) => ({
        id: key.id,
        scopes: key.scopes,
        status: key.revokedAt === null ? "valid" : "revoked",
      })),
    }));
    if (json) return JSON.stringify(users);
    return (
      users
        .map((it) =>
          [
            `${it.user_id}  ${it.display_name}`,
            ...(it.subject === null ? [] : [`  JWTs of ${it.subject}, issued by ${it.issuer}`]),
            ...it.api_keys.map((key) => `  plumb_${key.id}_…  ${key.status}  ${key.scopes.join(" ")}`),
          ].join("\n"),
        )
        .join("\n") || "There are no users."
    );
  };
}

function revoke(userId: string): Command {
  return async (db) =>
    `Revoked ${await revokeApiKeys(db, userId)} API keys. A running service can accept them for 5 more seconds.`;
}

await runCommand({ usage: USAGE, options, arguments: 2 }, async ({ values, positionals: [command, subject] }) => {
  const config = readConfig(process.env);
  const run = commandOf(command, subject, { ...values, issuer: values.issuer ?? config.AUTH_ISSUER });
  await using stack = new AsyncDisposableStack();
  console.log(await run(await openDatabase(config, stack)));
});
