/** The user that reads uploaded files if the service is root, and the files that this user can open. */
import { chmod, chown, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";

export type User = { readonly uid: number; readonly gid: number };

/** The user "nobody", by number, because a container may have no list of users. Only a service that is root changes to it. */
export const UNPRIVILEGED_USER: User | null = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/**
 * Gives another user only the access that a command needs: to read its input files and to write in its output folders.
 * Returns the path that opens each file: relative to `cwd`, in which the child starts, if that user cannot traverse the
 * folders above.
 */
export async function grantAccess(
  user: User | null,
  reads: readonly string[],
  writes: readonly string[],
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const files = [...reads, ...writes];
  if (user === null) return Object.fromEntries(files.map((path) => [path, path]));
  for (const folder of new Set(writes.map((path) => dirname(path)))) await chown(folder, user.uid, user.gid);
  for (const path of reads) await share(path, READ, user);
  for (const path of files) await share(dirname(path), PASS, user);
  // The output folder is often inside the folder of the input.
  for (const path of writes) await share(dirname(dirname(path)), PASS, user);
  const names = files.map(async (path) => [path, (await isInReach(path, user)) ? path : relative(cwd, path)]);
  return Object.fromEntries((await Promise.all(names)) as [string, string][]);
}

/** Bits of a mode, as in the last of its three digits. */
const [READ, PASS] = [0o4, 0o1];

async function may(path: string, bit: number, { uid, gid }: User): Promise<boolean> {
  const { mode, ...owner } = await stat(path);
  return (mode & (owner.uid === uid ? bit << 6 : owner.gid === gid ? bit << 3 : bit)) !== 0;
}

async function share(path: string, bit: number, user: User): Promise<void> {
  if (await may(path, bit, user)) return;
  const { uid, mode } = await stat(path);
  await chown(path, uid, user.gid);
  await chmod(path, (mode & 0o7777) | (bit << 3));
}

/** Whether this user can traverse every folder above the path. */
async function isInReach(path: string, user: User): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await may(folder, PASS, user))) return false;
    if (folder === dirname(folder)) return true;
  }
}
