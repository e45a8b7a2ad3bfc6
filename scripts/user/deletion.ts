import { StartupError } from "../../src/startup-error.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { removeUser } from "../../src/personal-data/jobs.ts";
import { countObjects } from "../../src/personal-data/objects.ts";
import { countMentions } from "../../src/personal-data/references-store.ts";
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
    const isBegun = await beginErasure(db, userId, (tx) => queue.enqueue(tx, removeUser, { userId }));
    if (!isBegun) throw new StartupError(`There is no user ${userId}.`);
    audit(config, "user.delete", { user_id: userId });
    if (json) return JSON.stringify({ user_id: userId, status: "deleting" });
    return `User ${userId} is deleted. A worker now removes everything of theirs, and their row half a minute later; npm run user -- proof ${userId} shows what is left. A running service can accept their credentials for 5 more seconds. Logs and backups name the user for as long as you keep them.`;
  };
};

const FOUND = 2;

export const proof: Command = (given, { json }) => {
  const userId = idIn(given);
  return async ({ db, databaseUrl, openObjects }) => {
    const mentions = await withSnapshot(databaseUrl, (snapshot) => countMentions(snapshot, userId));
    const { all, ofUser, ofNoUpload } = await countObjects(db, await openObjects(), userId);
    const isClean = mentions.every((it) => it.rows === 0) && ofUser + ofNoUpload === 0;
    if (!isClean) process.exitCode = FOUND;
    if (json)
      return [
        ...mentions.map(({ table, column, rows }) => ({ table, column, rows })),
        { objects: all, objects_of_user: ofUser, objects_of_no_upload: ofNoUpload },
      ]
        .map((it) => JSON.stringify(it))
        .join("\n");
    return [
      ...mentions.map(({ table, column, rows }) => `${String(rows).padStart(10)}  ${table}.${column}`),
      `${String(ofUser).padStart(10)}  objects of this user's uploads`,
      `${String(ofNoUpload).padStart(10)}  objects of no upload, of ${all} in the store`,
      isClean
        ? `Nothing refers to user ${userId}.`
        : `Something still refers to user ${userId}, or an object belongs to no upload. A worker removes both.`,
    ].join("\n");
  };
};
