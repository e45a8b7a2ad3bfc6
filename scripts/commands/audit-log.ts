import { age, id, json, page } from "./arguments.ts";
import { operate, verb } from "./define.ts";

export const auditLog = verb(
  "audit-log",
  "show the changes that operators have made with these commands in the last year, oldest first",
  {
    options: {
      user: id("only entries about this user"),
      since: age("only newer entries, such as 90s, 30m, 24h or 7d"),
      ...page,
      json,
    },
  },
  async (argv) => operate((await import("../operations/audit-log.ts")).showAuditLog(argv)),
);
