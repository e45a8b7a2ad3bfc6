import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../../support/client.ts";
import { storedFiles } from "../../support/videos.ts";

/** Begins a resumable upload, by default without bytes. Returns its `Location`. */
export async function beginUpload(client: Client, bytes?: Uint8Array): Promise<string> {
  const { status, headers, text } = await client("POST", "/video-uploads", bytes, { headers: { "Upload-Complete": "?0" } });
  if (status !== 204) throw new Error(`The upload was not begun: ${text}`);
  return headers.get("location")!;
}

export const idIn = (location: string) => location.split("/")[2]!;

/** The total size of the files in the store that are not in `before`. */
export async function storedBytesBut(service: { readonly dataDir: string }, before: ReadonlySet<string>): Promise<number> {
  const files = (await storedFiles(service)).filter((it) => !before.has(it));
  const sizes = files.map(async (it) => (await stat(join(service.dataDir, it)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, it) => sum + it, 0);
}
