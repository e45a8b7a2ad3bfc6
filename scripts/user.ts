import { parseArgs } from "node:util";
import { scopes as everyScope } from "#generated/scopes.ts";
import { readConfig } from "../src/config.ts";
import { connect, type Db } from "../src/db/client.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { applyMigrations } from "../src/db/migrate.ts";
import { StartupError } from "../src/startup-error.ts";
import { revokeApiKeys } from "../src/users/api-keys.ts";
import { addUser, displayNameOf } from "../src/users/users.ts";

const USAGE = `Usage:
  npm run -s user -- add NAME [--scopes "posts:read posts:write"] [--json]   make a user and print its API key
  npm run -s user -- list [--json]                                          show the users and their keys
  npm run -s user -- revoke USER_ID                                         revoke all API keys of a user`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Runs one command against the database of the service, whether the service runs or not. */
async function main(): Promise<void> {
  const {
    values,
    positionals: [command, subject, ...rest],
  } = parseArgs({ allowPositionals: true, options: { scopes: { type: "string" }, json: { type: "boolean", default: false } } });
  if (rest.length > 0) throw new StartupError(USAGE);
  const run =
    command === "add"
      ? add(subject, values)
      : command === "list" && subject === undefined
        ? list(values)
        : command === "revoke"
          ? revoke(subject)
          : undefined;
  if (run === undefined) throw new StartupError(USAGE);

  const config = readConfig(process.env);
  await using stack = new AsyncDisposableStack();
  const databaseUrl =
    config.DIRECT_DATABASE_URL ??
    config.DATABASE_URL ??
    stack.adopt(await startEmbeddedPostgres({ dataDir: config.DATA_DIR }), (it) => it.stop()).url;
  await applyMigrations(databaseUrl);
  const { db } = stack.adopt(await connect(databaseUrl, 2, () => undefined), (it) => it.close());
  console.log(await run(db));
}

type Command = (db: Db) => Promise<string>;

function add(name: string | undefined, { scopes, json }: { scopes?: string | undefined; json: boolean }): Command {
  const displayName = displayNameOf(name ?? "");
  if (displayName === null) throw new StartupError(USAGE);
  const wanted = scopes?.split(/[\s,]+/).filter((it) => it !== "") ?? everyScope;
  const unknown = wanted.filter((it) => !(everyScope as readonly string[]).includes(it));
  if (unknown.length > 0) throw new StartupError(`There is no scope ${unknown.join(" ")}; there are ${everyScope.join(" ")}.`);
  return async (db) => {
    const { userId, apiKey } = await addUser(db, displayName, wanted);
    if (json) return JSON.stringify({ user_id: userId, api_key: apiKey });
    return `${displayName}\n  user id   ${userId}\n  API key   ${apiKey}\nThe key is shown only now.`;
  };
}

function list({ json }: { json: boolean }): Command {
  return async (db) => {
    const rows = await db.user.findMany({
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      include: { apiKeys: { orderBy: { createdAt: "asc" } } },
    });
    const users = rows.map((it) => ({
      user_id: it.id,
      display_name: it.displayName,
      issuer: it.issuer,
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
            ...it.api_keys.map((key) => `  plumb_${key.id}_…  ${key.status}  ${key.scopes.join(" ")}`),
          ].join("\n"),
        )
        .join("\n") || "There are no users."
    );
  };
}

function revoke(userId: string | undefined): Command {
  if (userId === undefined || !UUID.test(userId)) throw new StartupError(USAGE);
  return async (db) => {
    if ((await db.user.findUnique({ where: { id: userId } })) === null) throw new StartupError(`There is no user ${userId}.`);
    return `Revoked ${await revokeApiKeys(db, userId)} API keys; a running service may accept them for 5 s more.`;
  };
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StartupError) && (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
