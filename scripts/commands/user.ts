import { keyIdIn, keysIn, timeIn } from "../operations/arguments.ts";
import { age, aText, anId, flag, json, page, text, yes } from "./arguments.ts";
import { noun, operate, verb } from "./define.ts";

const scopes = text("the scopes of the key, separated by spaces; by default, all");
const print = { describe: "print only this, for a shell", choices: ["key", "id"], requiresArg: true } as const;
const created = { scopes, print, json };
const user = anId("the id of the user");
const endpoint = anId("the id of the webhook endpoint");
const key = {
  ...aText("the part of the key after plumb_, or the key as list shows it"),
  coerce: keyIdIn,
} as const;

const add = verb(
  "add <name>",
  "create a user, and print the id and an API key",
  { args: { name: aText("the name of the user") }, options: created },
  async (argv) => operate((await import("../user/keys.ts")).add(argv)),
);
const list = verb("list", "show the users and their keys, oldest first", { options: { ...page, json } }, async (argv) =>
  operate((await import("../user/list.ts")).list(argv)),
);
const show = verb(
  "show <user-id>",
  "show one user, the keys and the stored bytes",
  { args: { "user-id": user }, options: { json } },
  async (argv) => operate((await import("../user/list.ts")).show(argv)),
);
const createKey = verb(
  "key <user-id>",
  "create another API key for a user",
  { args: { "user-id": user }, options: created },
  async (argv) => operate((await import("../user/keys.ts")).key(argv)),
);
const rotate = verb(
  "rotate <key-id>",
  "create a key that replaces one, which then expires",
  { args: { "key-id": key }, options: { grace: { ...age("how long the old key still works"), default: "24h" }, print, json } },
  async (argv) => operate((await import("../user/keys.ts")).rotate(argv)),
);
const expire = verb(
  "expire <key-id>",
  "set when a key expires; by default, now",
  {
    args: { "key-id": key },
    options: {
      in: { ...age("after this time, such as 90s, 30m, 24h or 7d"), conflicts: "at" },
      at: { ...text("at this time, such as 2026-11-30T12:00:00Z"), coerce: timeIn },
      json,
    },
  },
  async (argv) => operate((await import("../user/keys.ts")).expire(argv)),
);
const revoke = verb(
  "revoke <id>",
  "revoke one API key, or all keys of a user, and disable the webhook endpoints that they authorized",
  {
    args: { id: { ...aText("the id of a user, or of a key as for expire"), coerce: keysIn } },
    options: { "keep-endpoints": flag("leave the webhook endpoints enabled"), json },
  },
  async (argv) => operate((await import("../user/keys.ts")).revoke(argv)),
);
const endpoints = verb(
  "endpoints <user-id>",
  "show the webhook endpoints of a user, oldest first",
  { args: { "user-id": user }, options: { json } },
  async (argv) => operate((await import("../user/endpoints.ts")).endpoints(argv)),
);
const disable = verb(
  "disable-endpoint <endpoint-id>",
  "disable a webhook endpoint, so that its user can't enable it",
  { args: { "endpoint-id": endpoint }, options: { json } },
  async (argv) => operate((await import("../user/endpoints.ts")).disableEndpoint(argv)),
);
const enable = verb(
  "enable-endpoint <endpoint-id>",
  "enable a webhook endpoint that an operator has disabled",
  { args: { "endpoint-id": endpoint }, options: { json } },
  async (argv) => operate((await import("../user/endpoints.ts")).enableEndpoint(argv)),
);
const link = verb(
  "link <user-id>",
  "link the subject of JWTs to a user",
  {
    args: { "user-id": user },
    options: {
      subject: { ...text("the sub of the JWTs"), demandOption: true },
      issuer: text("the iss of the JWTs; by default, the setting AUTH_ISSUER"),
    },
  },
  async (argv) => operate((await import("../user/identity.ts")).link(argv)),
);
const unlink = verb("unlink <user-id>", "remove that link", { args: { "user-id": user } }, async (argv) =>
  operate((await import("../user/identity.ts")).unlink(argv)),
);
const exportAll = verb(
  "export <user-id>",
  "copy everything of a user into a new folder",
  { args: { "user-id": user }, options: { to: { ...text("the new folder"), demandOption: true }, json } },
  async (argv) => operate((await import("../user/export.ts")).exportUser(argv)),
);
const remove = verb(
  "delete <user-id>",
  "delete a user and all their data",
  { args: { "user-id": user }, options: { yes, json } },
  async (argv) => operate((await import("../user/deletion.ts")).deleteUser(argv)),
);
const proof = verb(
  "proof <user-id>",
  "count what still refers to a user, in all tables and the object store; the exit code is 2 if anything does, except files that are kept until a time that it names",
  { args: { "user-id": user }, options: { json } },
  async (argv) => operate((await import("../user/deletion.ts")).proof(argv)),
);

export const users = noun("user", "users, their API keys and webhook endpoints; audit-log shows each change", [
  ...[add, list, show, createKey, rotate, expire, revoke, endpoints, disable, enable, link, unlink, exportAll, remove, proof],
]);
