/** If the service runs as root, another user reads uploaded files. Here are that user and its permissions. */
import { chmod, chown, stat } from "node:fs/promises";
import { dirname, relative } from "node:path";

export type User = { readonly uid: number; readonly gid: number };

/** The user "nobody", by number, because a container may lack /etc/passwd. Used only if the service runs as root. */
export const UNPRIVILEGED_USER: User | null = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;

/**
 * Grants another user access to the files of a command. Returns the path to open each, relative to `cwd` if parents can't be
 * traversed.
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
  for (const path of reads) await grant(path, READ, user);
  for (const path of files) await grant(dirname(path), TRAVERSE, user);
  // The output folder is often in the folder of the input.
  for (const path of writes) await grant(dirname(dirname(path)), TRAVERSE, user);
  const names = files.map(async (path) => [path, (await isInReach(path, user)) ? path : relative(cwd, path)]);
  return Object.fromEntries((await Promise.all(names)) as [string, string][]);
}

/** Permission bits, as in the last octal digit of a mode. */
const [READ, TRAVERSE] = [0o4, 0o1];

async function hasPermission(path: string, bit: number, { uid, gid }: User): Promise<boolean> {
  const { mode, ...owner } = await stat(path);
  return (mode & (owner.uid === uid ? bit << 6 : owner.gid === gid ? bit << 3 : bit)) !== 0;
}

async function grant(path: string, bit: number, user: User): Promise<void> {
  if (await hasPermission(path, bit, user)) return;
  const { uid, mode } = await stat(path);
  await chown(path, uid, user.gid);
  await chmod(path, (mode & 0o7777) | (bit << 3));
}

/** Whether this user can traverse every folder above the path. */
async function isInReach(path: string, user: User): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(await hasPermission(folder, TRAVERSE, user))) return false;
    if (folder === dirname(folder)) return true;
  }
}
