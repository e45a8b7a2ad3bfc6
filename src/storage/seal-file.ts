import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { drain } from "./drain.ts";
import { bytesOf } from "./file-bytes.ts";
import type { PutOptions, PutResult } from "./object-store.ts";

/** Makes a file that another program has written an object of this service: its owner, its mode, its bytes on the disk. */
export async function seal(path: string, options: PutOptions): Promise<PutResult> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid, gid, nlink } = await file.stat();
  // By another name, that program could change it later.
  if (nlink !== 1) throw new Error("A file to store has a second name.");
  const [ownUid, ownGid] = [process.geteuid?.() ?? uid, process.getegid?.() ?? gid];
  if (uid !== ownUid || gid !== ownGid) await file.chown(ownUid, ownGid);
  await file.chmod(0o600);
  await file.sync();
  const { chunks, result } = drain(bytesOf(file), options);
  for await (const _ of chunks);
  return result();
}
