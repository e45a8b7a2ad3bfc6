import { hashOf } from "../../storage/hash-and-limit.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { folderOf } from "../objects/object-keys.ts";
import { filesOf, type StoredResult, type VideoUploadRow } from "../store.ts";

type ExpectedObject = { readonly objectKey: string; readonly sizeBytes: number; readonly sha256: string };
export type Fault = { readonly id: string; readonly key: string; readonly problem: "missing" | "wrong_size" | "wrong_bytes" };
type Options = { readonly keepOriginals: boolean; readonly readsBytes: boolean };

function expectedObjects(row: VideoUploadRow, keepOriginals: boolean): readonly ExpectedObject[] {
  const { objectKey, sha256, status } = row;
  const original = { objectKey, sizeBytes: Number(row.sizeBytes), sha256 };
  if (status !== "succeeded") return [original];
  const made = filesOf(row.result as StoredResult);
  return keepOriginals ? [original, ...made] : made;
}

/** Finds faults of the objects of an upload: missing, or with a different size or different bytes than in its row. */
export async function checkUpload(objects: ObjectStore, row: VideoUploadRow, { keepOriginals, readsBytes }: Options) {
  const sizes = new Map<string, number>();
  for await (const { key, sizeBytes } of objects.list(folderOf(row.id))) sizes.set(key, sizeBytes);
  const faults: Fault[] = [];
  for (const { objectKey: key, sizeBytes, sha256 } of expectedObjects(row, keepOriginals)) {
    const fault = (problem: Fault["problem"]) => faults.push({ id: row.id, key, problem });
    if (!sizes.has(key)) fault("missing");
    else if (sizes.get(key) !== sizeBytes) fault("wrong_size");
    else if (readsBytes && (await digestOf(objects, key)) !== sha256) fault("wrong_bytes");
  }
  return faults;
}

async function digestOf(objects: ObjectStore, key: string): Promise<string | null> {
  const object = await objects.get(key);
  return object === null ? null : (await hashOf(object.stream)).sha256;
}
