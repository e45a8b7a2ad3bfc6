import { findEndOfAudit } from "../../src/audit-trail/store.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { removeUser } from "../../src/personal-data/jobs.ts";
import { countObjects, countUnfinished } from "../../src/personal-data/objects.ts";
import { countMentions, nameOf, type Reference } from "../../src/personal-data/references-store.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { OldVersions } from "../../src/storage/object-store.ts";
import { UNFINISHED_AGE_MS } from "../../src/video-uploads/objects/removal.ts";
import { requireYes } from "../operations/arguments.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import type { OfUser } from "./user.ts";

export const deleteUser =
  ({ userId, yes, json }: OfUser & { readonly yes: boolean }): Work =>
  async ({ db, config, openJobs }) => {
    const user = await db.user.findUnique({ where: { id: userId } });
    if (user === null) throw new StartupError(`There is no user ${userId}.`);
    requireYes(yes, `This deletes ${user.displayName} (${userId}) and all their data, and can't be undone.`);
    const { queue } = await openJobs();
    const isBegun = await beginErasure(db, userId, async (tx) => {
      await queue.enqueue(tx, removeUser, { userId });
      await audit({ db: tx, config }, "user.delete", { user_id: userId });
    });
    if (!isBegun) throw new StartupError(`There is no user ${userId}.`);
    if (json) return JSON.stringify({ user_id: userId, status: "deleting" });
    return `User ${userId} is deleted. A worker now removes all their data, and their row half a minute later; npm run -s plumbline -- user proof ${userId} shows what is left. A running service can accept their credentials for 5 more seconds. Logs and backups name the user for as long as you keep them.`;
  };

const FOUND = 2;

/**
 * Audit entries about a deleted user, and retained files, stay for a time. They are no fault, because the proof shows when they expire.
 */
const isOfAudit = ({ table, column }: Reference) => nameOf({ table, column }) === "audit_entries.user_id";
const isOfKept = ({ table, column }: Reference) => nameOf({ table, column }) === "kept_objects.owner_id";

export const proof =
  ({ userId, json }: OfUser): Work =>
  async ({ db, databaseUrl, openObjects }) => {
    const mentions = await withSnapshot(databaseUrl, (snapshot) => countMentions(snapshot, userId));
    const store = await openObjects();
    const { all, ofUser, ofNoUpload, kept } = await countObjects(db, store, userId);
    const unfinished = await countUnfinished(store, UNFINISHED_AGE_MS);
    const oldVersions = await store.findOldVersions();
    const auditEnd = await findEndOfAudit(db, userId);
    const hasNoEnd = oldVersions.stay === "for ever" || oldVersions.stay === "unknown";
    const isOverdue = [...kept.map((it) => it.endsAt), ...(auditEnd === null ? [] : [auditEnd])].some((it) => it < new Date());
    const hasOnlyWhatEnds = mentions.every((it) => it.rows === 0 || isOfAudit(it) || isOfKept(it));
    const isClean = hasOnlyWhatEnds && ofUser + ofNoUpload === 0 && !hasNoEnd && !isOverdue;
    const endOf = (it: Reference) => (isOfAudit(it) ? auditEnd : null);
    if (!isClean) process.exitCode = FOUND;
    if (json)
      return [
        ...mentions.map((it) => {
          const { table, column, rows } = it;
          const endsAt = endOf(it);
          return { table, column, rows, ...(endsAt === null ? {} : { ends_at: endsAt }) };
        }),
        ...kept.map((it) => ({ kept: it.key, objects: it.objects, ends_at: it.endsAt })),
        {
          objects: all,
          objects_of_user: ofUser,
          objects_of_no_upload: ofNoUpload,
          unfinished_uploads: unfinished.count,
          unfinished_uploads_end_at: unfinished.endsAt,
          old_versions: oldVersions,
        },
      ]
        .map((it) => JSON.stringify(it))
        .join("\n");
    const line = (count: number, what: string) => `${String(count).padStart(10)}  ${what}`;
    return [
      ...mentions.map((it) => {
        const end = endOf(it);
        const until = end === null ? "" : `, what operators did to this user, kept until ${end.toISOString()}`;
        return line(it.rows, `${it.table}.${it.column}${until}`);
      }),
      line(ofUser, "objects of this user's uploads"),
      line(ofNoUpload, `objects of no upload, of ${all} in the store`),
      ...kept.map((it) => line(it.objects, `objects of ${it.key}, kept for backups until ${it.endsAt.toISOString()}`)),
      ...(unfinished.endsAt === null
        ? []
        : [line(unfinished.count, `unfinished uploads of anybody, removed by ${unfinished.endsAt.toISOString()}`)]),
      ...(oldVersions.stay === "never" ? [] : [sentenceOf(oldVersions)]),
      isClean
        ? `Nothing refers to user ${userId}${kept.length === 0 && auditEnd === null ? "" : ", except what is kept until the times above"}.`
        : `Something still refers to user ${userId}, belongs to no upload, or has no end. A worker removes the first two.`,
    ].join("\n");
  };

function sentenceOf(it: OldVersions): string {
  if (it.stay === "days") return `The bucket keeps old versions of deleted objects for ${it.days} days.`;
  if (it.stay === "unknown") return `It is unknown whether the bucket keeps old versions of deleted objects: ${it.reason}.`;
  return "The bucket keeps old versions of deleted objects for ever; add a lifecycle rule that ends them.";
}
