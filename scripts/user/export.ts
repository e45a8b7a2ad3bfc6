import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { finished, pipeline } from "node:stream/promises";
import { withSnapshot, type Snapshot } from "../../src/database/snapshot.ts";
import { findReferences, EXCLUDED_COLUMNS, nameOf, rowsOf, type Reference } from "../../src/personal-data/references-store.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { folderOf, uploadIdOf } from "../../src/video-uploads/objects/object-keys.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import { requireUser, type OfUser } from "./user.ts";

/** The columns whose rows have files in the object store. */
const WITH_FILES = ["video_uploads.owner_id", "partial_uploads.owner_id", "kept_objects.owner_id"];

/** The folder with the files of a row. Null for retained objects within the folder of another row. */
function folderIn(line: string): string | null {
  const { id, key } = JSON.parse(line) as { readonly id?: string; readonly key?: string };
  const folder = folderOf(id ?? uploadIdOf(key ?? ""));
  return key === undefined || key === folder ? folder : null;
}

/** Only the user of this process can read the copy. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const newFile = (path: string): WriteStream => createWriteStream(path, { mode: FILE_MODE, flags: "wx" });

const fileOf = (it: Reference) => `${nameOf(it)}.jsonl`;

/** Writes the rows of each reference into a file, one JSON object per line, and returns their numbers. */
async function exportRows(snapshot: Snapshot, userId: string, folder: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const reference of await findReferences(snapshot)) {
    if (nameOf(reference) in EXCLUDED_COLUMNS) continue;
    let count = 0;
    async function* lines() {
      for await (const { row } of rowsOf(snapshot, reference, userId)) {
        count += 1;
        yield `${row}\n`;
      }
    }
    await pipeline(lines, newFile(join(folder, fileOf(reference))));
    counts[nameOf(reference)] = count;
  }
  return counts;
}

/** Copies the files of all exported uploads, with constant memory, and returns their number and size. */
async function exportFiles(objects: ObjectStore, folder: string) {
  const copied = { files: 0, bytes: 0 };
  const names = newFile(join(folder, "files.jsonl"));
  for (const reference of WITH_FILES)
    for await (const line of createInterface(createReadStream(join(folder, `${reference}.jsonl`)))) {
      const from = folderIn(line);
      if (from === null) continue;
      for await (const { key } of objects.list(from)) {
        const object = await objects.get(key);
        // It was deleted after it was listed.
        if (object === null) continue;
        const path = join("objects", ...key.split("/"));
        await mkdir(dirname(join(folder, path)), { recursive: true, mode: FOLDER_MODE });
        await pipeline(object.stream, newFile(join(folder, path)));
        names.write(`${JSON.stringify({ path, size_bytes: object.sizeBytes })}\n`);
        copied.files += 1;
        copied.bytes += object.sizeBytes;
      }
    }
  names.end();
  await finished(names);
  return copied;
}

/** Written last, so that a folder with its final name is complete. */
async function writeManifest(folder: string, manifest: object): Promise<void> {
  const file = newFile(join(folder, "manifest.json"));
  file.end(`${JSON.stringify(manifest, null, 2)}\n`);
  await finished(file);
}

export const exportUser = ({ userId, to, json }: OfUser & { readonly to: string }): Work => {
  const folder = resolve(to);
  return async ({ db, config, databaseUrl, openObjects }) => {
    await requireUser(db, userId);
    if ((await stat(folder).catch(() => null)) !== null) throw new StartupError(`${folder} exists already. Name a new folder.`);
    const unfinished = `${folder}.unfinished-${process.pid}`;
    const exportAll = async () => {
      await mkdir(unfinished, { mode: FOLDER_MODE });
      // Before the copy, because an incomplete one has disclosed data, too.
      await audit({ db, config }, "user.export", { user_id: userId, folder });
      const rows = await withSnapshot(databaseUrl, (snapshot) => exportRows(snapshot, userId, unfinished));
      const copied = await exportFiles(await openObjects(), unfinished);
      await writeManifest(unfinished, { user_id: userId, exported_at: new Date(), rows, ...copied, left_out: EXCLUDED_COLUMNS });
      await rename(unfinished, folder);
      return { rows, copied };
    };
    const { rows, copied } = await exportAll().catch(async (error: NodeJS.ErrnoException) => {
      await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
      // Errors of reading the store or the database have another path or system call.
      if (error.path?.startsWith(unfinished) !== true && error.syscall !== "write") throw error;
      throw new StartupError(
        `${folder} cannot be written: ${error.message}. Name a place where this user can write; in a container, a folder that is mounted into it.`,
        { cause: error },
      );
    });
    const total = Object.values(rows).reduce((sum, it) => sum + it, 0);
    if (json) return JSON.stringify({ user_id: userId, folder, rows: total, ...copied });
    return `${folder} has ${total} rows and ${copied.files} files (${copied.bytes} bytes) of user ${userId}. Only you can read it.`;
  };
};
