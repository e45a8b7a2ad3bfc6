import { print, runCommand, UsageError } from "../src/util/command.ts";
import { configOfCommand } from "./operations/settings.ts";
import { openParts } from "./operations/parts.ts";
import { deleteUser, proof } from "./user/deletion.ts";
import { disableEndpoint, enableEndpoint, endpoints } from "./user/endpoints.ts";
import { exportUser } from "./user/export.ts";
import { link, unlink } from "./user/identity.ts";
import { add, expire, key, revoke, rotate } from "./user/keys.ts";
import { list, show } from "./user/list.ts";
import type { Command } from "./user/command.ts";

const USAGE = `Shows and changes users and their API keys, whether the service runs or not.

Usage:
  npm run -s user -- add NAME [--scopes "posts:read posts:write"]   create a user, and print the id and an API key
  npm run -s user -- list [--after USER_ID] [--limit N]             show the users and their keys, oldest first
  npm run -s user -- show USER_ID                                   show one user, the keys and the stored bytes
  npm run -s user -- key USER_ID [--scopes "..."]                   create another API key for a user
  npm run -s user -- rotate KEY_ID [--grace 24h]                    create a key that replaces one, which then expires
  npm run -s user -- expire KEY_ID [--in 7d | --at TIME]            set when a key expires; by default, now
  npm run -s user -- revoke USER_ID|KEY_ID [--keep-endpoints]       revoke all API keys of a user, or one, and disable the
                                                                    webhook endpoints that they authorized
  npm run -s user -- endpoints USER_ID                              show the webhook endpoints of a user, oldest first
  npm run -s user -- disable-endpoint ENDPOINT_ID                   disable one, so that its user can't enable it
  npm run -s user -- enable-endpoint ENDPOINT_ID                    enable one that was disabled so
  npm run -s user -- link USER_ID --subject SUB [--issuer ISS]      link the subject of JWTs to a user
  npm run -s user -- unlink USER_ID                                 remove that link
  npm run -s user -- export USER_ID --to FOLDER                     copy everything of a user into a new folder
  npm run -s user -- delete USER_ID --yes                           delete a user and all their data
  npm run -s user -- proof USER_ID                                  count what still refers to a user, in all tables and the
                                                                    object store; the exit code is 2 if anything does,
                                                                    except files that are kept until a time that it names

Options:
  --json             print JSON, one object per line
  --print key|id     print only the API key or the id of the user, for a shell (add, key and rotate)

KEY_ID is the part of a key after plumb_, or the key as list shows it. TIME is an RFC 3339 time. Each
change is kept for a year; npm run -s audit-log shows it. With NODE_ENV=production, it is also a line on stderr.`;

const options = {
  scopes: { type: "string" },
  issuer: { type: "string" },
  subject: { type: "string" },
  print: { type: "string" },
  grace: { type: "string", default: "24h" },
  in: { type: "string" },
  at: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  to: { type: "string" },
  yes: { type: "boolean", default: false },
  "keep-endpoints": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

const COMMANDS: Readonly<Record<string, Command>> = {
  ...{ add, list, show, key, rotate, expire, revoke, link, unlink, proof },
  ...{ export: exportUser, delete: deleteUser },
  ...{ endpoints, "disable-endpoint": disableEndpoint, "enable-endpoint": enableEndpoint },
};

await runCommand({ usage: USAGE, options, arguments: 2 }, async ({ values, positionals: [name = "", subject] }) => {
  const config = configOfCommand();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || !["key", "id", undefined].includes(values.print)) throw new UsageError();
  const run = command(subject, { ...values, issuer: values.issuer ?? config.AUTH_ISSUER });
  await using stack = new AsyncDisposableStack();
  const result = await run(await openParts(config, stack));
  if (result !== undefined) await print(result);
});
