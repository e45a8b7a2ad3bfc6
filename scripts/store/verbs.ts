import { resolve } from "node:path";
import type { Config } from "../../src/config.ts";
import { transaction, type Db } from "../../src/database/client.ts";
import { StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { openObjectStore } from "../../src/storage/open-store.ts";
import { print } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { checkUpload } from "../../src/video-uploads/admin/check.ts";
import { countUnexplained } from "../../src/video-uploads/objects/store.ts";
import { claimStore, rebindStore } from "../../src/video-uploads/objects/store-binding.ts";
import { findPage } from "../../src/video-uploads/store.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import { configOfCommand } from "../operations/settings.ts";
import { copyStore, inSql, restoreStore } from "./copy.ts";

type Options = { readonly json: boolean };
type StoreParts = { readonly config: Config; readonly db: Db; readonly objects: ObjectStore };

/** Makes a command of a function that needs the store and the database. */
const withBoth =
  <Args>(work: (parts: StoreParts, args: Args) => Promise<string>) =>
  (args: Args): Work =>
  async ({ config, db, openObjects }) =>
    work({ config, db, objects: await openObjects() }, args);

export const show = withBoth(async ({ config, db, objects }, { json }: Options) => {
  const { databaseId, markerDatabaseId, problem, sentence } = await claimStore(db, objects);
  const { sweptAt: gcAt, problem: gcProblem, ...last } = await db.storeBinding.findFirstOrThrow();
  const { storedCount, orphanCount, approvedCount } = last;
  const store = config.OBJECT_STORE === "file" ? `files in ${resolve(config.DATA_DIR)}` : config.OBJECT_STORE;
  if (problem !== null || gcProblem !== null) process.exitCode = 2;
  if (json)
    return JSON.stringify({
      store,
      database_id: databaseId,
      marker_database_id: markerDatabaseId,
      problem,
      last_gc: { at: gcAt, problem: gcProblem, stored: storedCount, orphans: orphanCount, approved: approvedCount },
    });
  const gc =
    gcAt === null
      ? "none yet"
      : `${gcAt.toISOString()}: ${gcProblem ?? "no problem"}; ${storedCount} objects, ${orphanCount} of them orphans`;
  return [
    `store     ${store}`,
    `database  ${databaseId}`,
    `marker    ${markerDatabaseId ?? "none"}`,
    `last GC   ${gc}`,
    sentence,
  ].join("\n");
});

const PAGE_SIZE = 500;

/** Checks all uploads, for example after a restore. */
export const check = withBoth(async ({ config, db, objects }, { json, bytes }: Options & { readonly bytes: boolean }) => {
  const options = { keepOriginals: config.KEEP_ORIGINALS, readsBytes: bytes };
  let [checked, faulty] = [0, 0];
  for (let page = await findPage(db, null, PAGE_SIZE); page.length > 0; page = await findPage(db, page.at(-1)!.id, PAGE_SIZE))
    for (const row of page) {
      const faults = await checkUpload(objects, row, options);
      for (const it of faults) await print(json ? JSON.stringify(it) : `${it.problem}  ${it.key}`);
      checked += 1;
      faulty += faults.length > 0 ? 1 : 0;
    }
  if (faulty > 0) process.exitCode = 2;
  if (json) return JSON.stringify({ checked, faulty });
  return `${checked} videos were checked, and ${faulty} of them lack something.`;
});

export const bind = withBoth(async ({ config, db, objects }, { json }: Options) => {
  const { databaseId, sampled, known } = await rebindStore(db, objects);
  // Names in stored audit entries don't change.
  await audit({ db, config }, "store.tie", { database_id: databaseId, looked: sampled, known });
  if (json) return JSON.stringify({ database_id: databaseId, sampled, known });
  return `The object store now belongs to the database ${databaseId}, which knows ${known} of ${sampled} objects in it.`;
});

export const approve = withBoth(async ({ config, db, objects }, { json }: Options) => {
  const { problem, sentence } = await claimStore(db, objects);
  if (problem !== null) throw new StartupError(sentence);
  const approved = await countUnexplained(db);
  await transaction(db, async (tx) => {
    await tx.storeBinding.updateMany({ data: { approvedCount: approved } });
    await audit({ db: tx, config }, "store.approve", { approved });
  });
  if (json) return JSON.stringify({ approved });
  return `Up to ${approved} orphans can be deleted, each one day after the orphan GC first found it.`;
});

/** Opens the store without the database, which may be lost when a copy is needed. */
async function openAlone(): Promise<ObjectStore> {
  const config = configOfCommand();
  return openObjectStore(config, resolve(config.DATA_DIR));
}

/** Replaces the stack trace by a sentence if the copy or the store can't be read or written. */
function explain(error: unknown): never {
  const { message, path } = error as NodeJS.ErrnoException;
  if (error instanceof StorageFailure || path !== undefined) throw new StartupError(`This could not be finished: ${message}.`);
  throw error;
}

type Copying = Options & { readonly folder: string };

export async function copy({ folder: path, keepDays: days, json }: Copying & { readonly keepDays: number }): Promise<string> {
  const folder = resolve(path);
  const { beganAt, copied, bytes, gone, gapFrom } = await copyStore(await openAlone(), folder, days).catch(explain);
  if (gapFrom !== null) process.exitCode = 2;
  if (json) return JSON.stringify({ folder, began_at: beganAt, copied, bytes, gone, gap_from: gapFrom });
  return [
    `${folder} has the objects of ${inSql(beganAt)}: ${copied} were new (${bytes} bytes), and ${gone} deleted ones stay for ${days} days.`,
    ...(gapFrom === null
      ? []
      : [
          `KEEP_DELETED_HOURS is shorter than the time since ${inSql(gapFrom)}. If you restore a time after that, videos that were deleted before the end of this copy can lack files.`,
        ]),
  ].join("\n");
}

export async function restore({ folder: path, at: time, json }: Copying & { readonly at?: Date | undefined }): Promise<string> {
  const folder = resolve(path);
  const { restored, bytes, at: restoredTo } = await restoreStore(folder, await openAlone(), time ?? null).catch(explain);
  if (json) return JSON.stringify({ folder, at: restoredTo, restored, bytes });
  return `${restored} objects (${bytes} bytes) are in the store now, for a database of ${inSql(restoredTo)}.`;
}
