import { findAuditEntries } from "../src/audit-trail/store.ts";
import { runCommand } from "../src/util/command.ts";
import { openDatabase } from "./database.ts";
import { countIn, idIn, secondsIn } from "./operations/arguments.ts";
import { printAll } from "./operations/pages.ts";
import { configOfCommand } from "./operations/settings.ts";

const USAGE = `Shows the changes that operators have made with the commands of this service in the last year, oldest first.

Usage: npm run -s audit-log [-- --user USER_ID] [--since 7d]

Options:
  --user USER_ID    only entries about this user
  --since AGE       only newer entries, such as 90s, 30m, 24h or 7d
  --after ENTRY_ID  continue after this entry
  --limit N         show at most N entries
  --json            print JSON, one object per line`;

type Entry = Awaited<ReturnType<typeof findAuditEntries>>[number];

const toJson = ({ id, createdAt, action, userId, details, operator, host, expiresAt }: Entry) =>
  JSON.stringify({ id, at: createdAt, action, user_id: userId, details, operator, host, ends_at: expiresAt });
const toLine = ({ createdAt, action, userId, details, operator, host }: Entry) =>
  [createdAt.toISOString(), action, userId ?? "-", JSON.stringify(details), `${operator}@${host}`].join("  ");

const options = {
  user: { type: "string" },
  since: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

await runCommand({ usage: USAGE, options }, async ({ values: { user, since, after: first, limit, json } }) => {
  const wanted = {
    userId: user === undefined ? null : idIn(user),
    since: since === undefined ? null : new Date(Date.now() - secondsIn(since) * 1_000),
  };
  const position = { limit: countIn(limit), after: first === undefined ? null : idIn(first) };
  await using stack = new AsyncDisposableStack();
  const { db } = await openDatabase(configOfCommand(), stack);
  const find = (after: string | null, take: number) => findAuditEntries(db, { ...wanted, after }, take);
  const printed = await printAll(find, json ? toJson : toLine, position);
  if (printed === 0 && !json) console.log("No operator has changed anything in this time.");
});
