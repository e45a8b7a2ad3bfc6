/** Targets for hostile files: an address that counts connections, and a file that shows whether it was read. */
import { copyFile, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeClip } from "../../support/media.ts";

export type Canary = AsyncDisposable & {
  readonly url: string;
  /** A valid video outside the folder of every job. A tool that follows a reference to it succeeds, and is detected. */
  readonly victimPath: string;
  /** What was accessed since the canary was set. */
  reached(): Promise<string[]>;
};

/** Sets a canary. Its file is in `folder`. */
export async function setCanary(folder: string): Promise<Canary> {
  let callers = 0;
  const server = createServer((socket) => {
    callers += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await mkdir(folder, { recursive: true });
  const victimPath = join(folder, "victim.mp4");
  await copyFile(await makeClip({ durationSeconds: 1, width: 64, height: 48, container: "mp4" }), victimPath);
  if (!(await readIsSeen(join(folder, "control"))))
    throw new Error("The file system of TMPDIR keeps no access times, so reads of the victim file would go unseen.");
  await forgetReads(victimPath);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    victimPath,
    async reached() {
      const read = (await wasRead(victimPath)) ? ["the file was read"] : [];
      return callers > 0 ? [...read, `${callers} sockets were opened`] : read;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** With an access time before the modification time, the next read updates it, even on a disk mounted with `relatime`. */
async function forgetReads(path: string): Promise<void> {
  await utimes(path, new Date(0), new Date());
}

async function wasRead(path: string): Promise<boolean> {
  return (await stat(path)).atimeMs > 0;
}

async function readIsSeen(controlPath: string): Promise<boolean> {
  await writeFile(controlPath, "x");
  await forgetReads(controlPath);
  await readFile(controlPath);
  return wasRead(controlPath);
}
