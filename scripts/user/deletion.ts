import { findEndOfAudit } from "../../src/audit-trail/store.ts";
import { StartupError } from "../../src/startup-error.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { removeUser } from "../../src/personal-data/jobs.ts";
import { countObjects } from "../../src/personal-data/objects.ts";
import { countMentions, nameOf, type Reference } from "../../src/personal-data/references-store.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import { idIn, requireYes } from "../operations/arguments.ts";
import { audit } from "../operations/audit.ts";
import type { Command } from "./command.ts";

export const deleteUser: Command = (given, { yes, json }) => {
  const userId = idIn(given);
  return async ({ db, config, openJobs }) => {
    const user = await db.user.findUnique({ where: { id: userId } });
    if (user === null) throw new StartupError(`There is no user ${userId}.`);
    requireYes(yes, `This deletes ${user.displayName} (${userId}) and everything of theirs, and can't be undone.`);
    const { queue } = await openJobs();
    const isBegun = await beginErasure(db, userId, async (tx) => {
      await queue.enqueue(tx, removeUser, { userId });
      await audit({ db: tx, config }, "user.delete", { user_id: userId });
    });
    if (!isBegun) throw new StartupError(`There is no user ${userId}.`);
    if (json) return JSON.stringify({ user_id: userId, status: "deleting" });
    return `User ${userId} is deleted. A worker now removes everything of theirs, and their row half a minute later; npm run user -- proof ${userId} shows what is left. A running service can accept their credentials for 5 more seconds. Logs and backups name the user for as long as you keep them.`;
  };
};

const FOUND = 2;

/** What operators did to a deleted user stays for a time, which the proof names, so it is no fault. */
const isOfAudit = ({ table, column }: Reference) => nameOf({ table, column }) === "audit_entries.user_id";

export const proof: Command = (given, { json }) => {
  const userId = idIn(given);
  return async ({ db, databaseUrl, openObjects }) => {
    const mentions = await withSnapshot(databaseUrl, (snapshot) => countMentions(snapshot, userId));
    const { all, ofUser, ofNoUpload } = await countObjects(db, await openObjects(), userId);
    const auditEnd = await findEndOfAudit(db, userId);
    const isAuditOverdue = auditEnd !== null && auditEnd < new Date();
    const isClean = mentions.every((it) => it.rows === 0 || isOfAudit(it)) && ofUser + ofNoUpload === 0 && !isAuditOverdue;
    const endOf = (it: Reference) => (isOfAudit(it) ? auditEnd : null);
    if (!isClean) process.exitCode = FOUND;
    if (json)
      return [
        ...mentions.map((it) => {
          const { table, column, rows } = it;
          const endsAt = endOf(it);
          return { table, column, rows, ...(endsAt === null ? {} : { ends_at: endsAt }) };
        }),
        { objects: all, objects_of_user: ofUser, objects_of_no_upload: ofNoUpload },
      ]
        .map((it) => JSON.stringify(it))
        .join("\n");
    return [
      ...mentions.map((it) => {
        const end = endOf(it);
        const until = end === null ? "" : `, what operators did to this user, kept until ${end.toISOString()}`;
        return `${String(it.rows).padStart(10)}  ${it.table}.${it.column}${until}`;
      }),
      `${String(ofUser).padStart(10)}  objects of this user's uploads`,
      `${String(ofNoUpload).padStart(10)}  objects of no upload, of ${all} in the store`,
      isClean
        ? `Nothing refers to user ${userId}${auditEnd === null ? "" : ", except what is kept until the time above"}.`
        : `Something still refers to user ${userId}, or an object belongs to no upload. A worker removes both.`,
    ].join("\n");
  };
};
