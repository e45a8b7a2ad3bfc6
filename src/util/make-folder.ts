import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StartupError } from "./startup-error.ts";

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

/** The attempts if another process removes the parent at the same time. */
const ATTEMPTS = 10;

/**
 * Creates a folder and its parents, and returns the first created one; null if the folder exists. `mkdir` of Node with `recursive` never ends
 * if the parent exists and the error is ENOENT, as in /proc.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | null> {
  let first: string | null = null;
  for (let attempt = 1; ; attempt++) {
    try {
      await mkdir(path, { mode });
      return first ?? path;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return requireFolder(path);
      if (codeOf(error) !== "ENOENT" || dirname(path) === path || attempt === ATTEMPTS) throw error;
    }
    first = (await makeFolder(dirname(path), mode)) ?? first;
  }
}

async function requireFolder(path: string): Promise<null> {
  if ((await stat(path)).isDirectory()) return null;
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: "ENOTDIR", path });
}

/** The error for a folder that can't be used. */
export const unusableFolder = (path: string, error: unknown): StartupError =>
  new StartupError(`The data directory ${path} cannot be written: ${(error as Error).message}.`, { cause: error });
