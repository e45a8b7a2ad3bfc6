import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const fileIn = (dataDir: string) => join(dataDir, "service.url");

/** Writes the URL of a service to its data directory, so that commands find the service on any port. */
export async function publishUrl(dataDir: string, url: string): Promise<void> {
  // Optional: the service must run even if it cannot write to the data directory.
  await writeFile(fileIn(dataDir), `${url}\n`).catch(() => undefined);
}

/** The published URL of the service of a data directory, or null. */
export async function publishedUrl(dataDir: string): Promise<string | null> {
  return (await readFile(fileIn(dataDir), "utf8").catch(() => "")).trim() || null;
}

/** Removes the published URL, unless another service with the same data directory has replaced it. */
export async function withdrawUrl(dataDir: string, url: string): Promise<void> {
  if ((await publishedUrl(dataDir)) === url) await rm(fileIn(dataDir), { force: true });
}
