import { resolve } from "node:path";
import { print, runCommand, UsageError } from "../src/util/command.ts";
import type { Config } from "../src/config.ts";
import { configOfCommand } from "./operations/settings.ts";
import { transaction, type Db } from "../src/database/client.ts";
import { StartupError } from "../src/util/startup-error.ts";
import { StorageFailure, type ObjectStore } from "../src/storage/object-store.ts";
import { openObjectStore } from "../src/storage/open-store.ts";
import { countUnexplained } from "../src/video-uploads/objects/store.ts";
import { checkUpload } from "../src/video-uploads/admin/check.ts";
import { findPage } from "../src/video-uploads/store.ts";
import { claimStore, rebindStore } from "../src/video-uploads/objects/store-binding.ts";
import { openDatabase } from "./database.ts";
import { countIn } from "./operations/arguments.ts";
import { copyStore, inSql, restoreStore } from "./store/copy.ts";
import { audit } from "./operations/audit.ts";

const USAGE = `Shows or changes the database that the object store belongs to, checks it and copies it, whether the service runs or not.

Usage:
  npm run -s store [-- --json]     show which database the object store belongs to, and the result of the last orphan GC;
                                   the exit code is 2 if a problem prevents it
  npm run -s store -- check [--bytes]
                                   check that every video has its objects, with the right size, or also the right bytes;
                                   print each fault, and exit with 2 if there is one
  npm run -s store -- bind         bind the object store to this database
  npm run -s store -- approve      let the next orphan GC delete all current orphans
  npm run -s store -- copy FOLDER [--keep-days 14]
                                   bring a copy of the store up to date, in which deleted objects stay for some days; the
                                   exit code is 2 if KEEP_DELETED_HOURS is too short for a gapless backup
  npm run -s store -- restore FOLDER [--at TIME]
                                   put the objects of a copy into an empty store, for a database of the same time;
                                   scripts/deploy/BACKUP.md has the steps`;

type StoreParts = {
  readonly config: Config;
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly json: boolean;
  readonly bytes: boolean;
};
type Copying = Pick<StoreParts, "objects" | "json"> & {
  readonly folder: string;
  readonly keepDays: string;
  readonly at: string | undefined;
};

async function show({ config, db, objects, json }: StoreParts): Promise<string> {
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
}

const PAGE_SIZE = 500;

/** Checks all uploads, for example after a restore. */
async function check({ config, db, objects, json, bytes }: StoreParts): Promise<string> {
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
}

async function bind({ config, db, objects, json }: StoreParts): Promise<string> {
  const { databaseId, sampled, known } = await rebindStore(db, objects);
  // Names in stored audit entries don't change.
  await audit({ db, config }, "store.tie", { database_id: databaseId, looked: sampled, known });
  if (json) return JSON.stringify({ database_id: databaseId, sampled, known });
  return `The object store now belongs to the database ${databaseId}, which knows ${known} of ${sampled} objects in it.`;
}

async function approve({ config, db, objects, json }: StoreParts): Promise<string> {
  const { problem, sentence } = await claimStore(db, objects);
  if (problem !== null) throw new StartupError(sentence);
  const approved = await countUnexplained(db);
  await transaction(db, async (tx) => {
    await tx.storeBinding.updateMany({ data: { approvedCount: approved } });
    await audit({ db: tx, config }, "store.approve", { approved });
  });
  if (json) return JSON.stringify({ approved });
  return `Up to ${approved} orphans can be deleted, each one day after the orphan GC first found it.`;
}

async function copy({ objects, json, folder, keepDays }: Copying): Promise<string> {
  const days = countIn(keepDays);
  const { beganAt, copied, bytes, gone, gapFrom } = await copyStore(objects, folder, days);
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

/** Replaces the stack trace by a sentence if the copy or the store can't be read or written. */
function explain(error: unknown): never {
  const { message, path } = error as NodeJS.ErrnoException;
  if (error instanceof StorageFailure || path !== undefined) throw new StartupError(`This could not be finished: ${message}.`);
  throw error;
}

async function restore({ objects, json, folder, at }: Copying): Promise<string> {
  const time = at === undefined ? null : new Date(at);
  if (Number.isNaN(time?.getTime())) throw new StartupError(`${at} is not a time.`);
  const { restored, bytes, at: restoredTo } = await restoreStore(folder, objects, time);
  if (json) return JSON.stringify({ folder, at: restoredTo, restored, bytes });
  return `${restored} objects (${bytes} bytes) are in the store now, for a database of ${inSql(restoredTo)}.`;
}

await runCommand(
  {
    usage: USAGE,
    options: {
      json: { type: "boolean", default: false },
      bytes: { type: "boolean", default: false },
      "keep-days": { type: "string", default: "14" },
      at: { type: "string" },
    },
    arguments: 2,
  },
  async ({ values: { json, bytes, "keep-days": keepDays, at }, positionals: [command = "show", folder] }) => {
    const run = folder === undefined ? { show, check, bind, approve }[command] : undefined;
    const runWithFolder = folder === undefined ? undefined : { copy, restore }[command];
    if (run === undefined && runWithFolder === undefined) throw new UsageError();
    const config = configOfCommand();
    const openObjects = () => openObjectStore(config, resolve(config.DATA_DIR));
    // Without the database, which may be lost when a copy is needed.
    if (runWithFolder !== undefined) {
      const copying = { objects: await openObjects(), json, folder: resolve(folder!), keepDays, at };
      return print(await runWithFolder(copying).catch(explain));
    }
    await using stack = new AsyncDisposableStack();
    const { db } = await openDatabase(config, stack);
    await print(await run!({ config, db, objects: await openObjects(), json, bytes }));
  },
);
