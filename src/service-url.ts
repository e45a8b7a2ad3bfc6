import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const fileIn = (dataDir: string) => join(dataDir, "service.url");

/** Writes down where the service of a data directory answers, so that commands find it on any port. */
export async function publishUrl(dataDir: string, url: string): Promise<void> {
  // Only a convenience: a data directory that cannot be written must not end the service.
  await writeFile(fileIn(dataDir), `${url}\n`).catch(() => undefined);
}

/** The address that the service of a data directory has published; null if none runs. */
export async function publishedUrl(dataDir: string): Promise<string | null> {
  return (await readFile(fileIn(dataDir), "utf8").catch(() => "")).trim() || null;
}

/** Removes the address, unless another service on the same data directory has published its own since. */
export async function withdrawUrl(dataDir: string, url: string): Promise<void> {
  if ((await publishedUrl(dataDir)) === url) await rm(fileIn(dataDir), { force: true });
}
