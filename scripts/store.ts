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
import { findAll } from "../src/video-uploads/store.ts";
import { reclaimStore, claimStore } from "../src/video-uploads/objects/store-owner.ts";
import { openDatabase } from "./database.ts";
import { countIn } from "./operations/arguments.ts";
import { copyStore, inSql, restoreStore } from "./store/copy.ts";
import { audit } from "./operations/audit.ts";

const USAGE = `Shows or changes the database that the object store belongs to, checks it and copies it, whether the service runs or not.

Usage:
  npm run -s store [-- --json]     show which database the object store belongs to, and how its last sweep went;
                                   the exit code is 2 if a problem prevents sweeps
  npm run -s store -- check [--bytes]
                                   check that every video has its objects, with the right size, or also the right bytes;
                                   print each fault, and exit with 2 if there is one
  npm run -s store -- tie          make the object store belong to this database
  npm run -s store -- approve      let the next sweeps remove all current orphans
  npm run -s store -- copy FOLDER [--keep-days 14]
                                   bring a copy of the store up to date, in which removed objects stay for some days; the
                                   exit code is 2 if KEEP_DELETED_HOURS is too short for a gapless backup
  npm run -s store -- restore FOLDER [--at TIME]
                                   put the objects of a copy into an empty store, for a database of the same moment;
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
  const { databaseId, storeSays, problem, sentence } = await claimStore(db, objects);
  const { sweptAt, storedCount, orphanCount, approvedCount, problem: sweepProblem } = await db.storeTie.findFirstOrThrow();
  const store = config.OBJECT_STORE === "file" ? `files in ${resolve(config.DATA_DIR)}` : config.OBJECT_STORE;
  if (problem !== null || sweepProblem !== null) process.exitCode = 2;
  if (json)
    return JSON.stringify({
      store,
      database_id: databaseId,
      store_says: storeSays,
      problem,
      last_sweep: { at: sweptAt, problem: sweepProblem, stored: storedCount, orphans: orphanCount, approved: approvedCount },
    });
  const sweep =
    sweptAt === null
      ? "none yet"
      : `${sweptAt.toISOString()}: ${sweepProblem ?? "no problem"}; ${storedCount} objects, ${orphanCount} of them orphans`;
  return [
    `store       ${store}`,
    `database    ${databaseId}`,
    `store says  ${storeSays ?? "nothing"}`,
    `last sweep  ${sweep}`,
    sentence,
  ].join("\n");
}

const CHECKED_TOGETHER = 500;

/** Reads the uploads page by page, for example after a backup was restored. */
async function check({ config, db, objects, json, bytes }: StoreParts): Promise<string> {
  const options = { keepOriginals: config.KEEP_ORIGINALS, readsBytes: bytes };
  let [checked, faulty] = [0, 0];
  for (
    let page = await findAll(db, null, CHECKED_TOGETHER);
    page.length > 0;
    page = await findAll(db, page.at(-1)!.id, CHECKED_TOGETHER)
  )
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

async function tie({ config, db, objects, json }: StoreParts): Promise<string> {
  const { databaseId, looked, known } = await reclaimStore(db, objects);
  await audit({ db, config }, "store.tie", { database_id: databaseId, looked, known });
  if (json) return JSON.stringify({ database_id: databaseId, looked, known });
  return `The object store now belongs to the database ${databaseId}, which knows ${known} of ${looked} objects in it.`;
}

async function approve({ config, db, objects, json }: StoreParts): Promise<string> {
  const { problem, sentence } = await claimStore(db, objects);
  if (problem !== null) throw new StartupError(sentence);
  const approved = await countUnexplained(db);
  await transaction(db, async (tx) => {
    await tx.storeTie.updateMany({ data: { approvedCount: approved } });
    await audit({ db: tx, config }, "store.approve", { approved });
  });
  if (json) return JSON.stringify({ approved });
  return `Up to ${approved} orphans can be removed, each one day after a sweep first found it.`;
}

async function copy({ objects, json, folder, keepDays }: Copying): Promise<string> {
  const days = countIn(keepDays);
  const { beganAt, copied, bytes, gone, gapFrom } = await copyStore(objects, folder, days);
  if (gapFrom !== null) process.exitCode = 2;
  if (json) return JSON.stringify({ folder, began_at: beganAt, copied, bytes, gone, gap_from: gapFrom });
  return [
    `${folder} has the objects of ${inSql(beganAt)}: ${copied} were new (${bytes} bytes), and ${gone} that are gone stay for ${days} days.`,
    ...(gapFrom === null
      ? []
      : [
          `KEEP_DELETED_HOURS is shorter than the time since ${inSql(gapFrom)}, so at moments from then on, videos that were deleted before this copy ended can lack files.`,
        ]),
  ].join("\n");
}

/** A sentence instead of a stack trace if the copy or the store can't be read or written. */
function explain(error: unknown): never {
  const { message, path } = error as NodeJS.ErrnoException;
  if (error instanceof StorageFailure || path !== undefined) throw new StartupError(`This could not be finished: ${message}.`);
  throw error;
}

async function restore({ objects, json, folder, at }: Copying): Promise<string> {
  const moment = at === undefined ? null : new Date(at);
  if (Number.isNaN(moment?.getTime())) throw new StartupError(`${at} is not a time.`);
  const { restored, bytes, at: restoredTo } = await restoreStore(folder, objects, moment);
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
  async ({ values: { json, bytes, "keep-days": keepDays, at }, positionals: [command = "show", given] }) => {
    const run = given === undefined ? { show, check, tie, approve }[command] : undefined;
    const runWithFolder = given === undefined ? undefined : { copy, restore }[command];
    if (run === undefined && runWithFolder === undefined) throw new UsageError();
    const config = configOfCommand();
    const openObjects = () => openObjectStore(config, resolve(config.DATA_DIR));
    // Without the database, which can be lost when a copy is needed.
    if (runWithFolder !== undefined) {
      const copying = { objects: await openObjects(), json, folder: resolve(given!), keepDays, at };
      return print(await runWithFolder(copying).catch(explain));
    }
    await using stack = new AsyncDisposableStack();
    const { db } = await openDatabase(config, stack);
    await print(await run!({ config, db, objects: await openObjects(), json, bytes }));
  },
);
