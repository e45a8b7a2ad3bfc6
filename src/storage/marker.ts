import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { ObjectStore } from "./object-store.ts";

/** The key of the object with the id of the database that a store belongs to. No area has this prefix. */
export const MARKER_KEY = "plumbline-database.json";

const marker = z.object({ database_id: z.uuid() });
const MAX_BYTES = 10_000;

const bytesOf = (databaseId: string) =>
  Buffer.from(`${JSON.stringify({ database_id: databaseId, note: "This store belongs to the database with this id." })}\n`);

/** Reads the id of the database that the store belongs to: null without a marker, "unreadable" if it is invalid. */
export async function readMarker(objects: ObjectStore): Promise<string | null> {
  const found = await objects.get(MARKER_KEY);
  if (found === null) return null;
  if (found.sizeBytes > MAX_BYTES) {
    found.stream.destroy();
    return "unreadable";
  }
  try {
    return marker.parse(JSON.parse(await text(found.stream))).database_id;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return "unreadable";
    throw error;
  }
}

/** Binds the store to a database unless it has a marker already. Returns the id in the marker. */
export async function claimMarker(objects: ObjectStore, databaseId: string): Promise<string> {
  await objects.create(MARKER_KEY, bytesOf(databaseId));
  return (await readMarker(objects)) ?? "unreadable";
}

/** Binds the store to a database, even if it belonged to another one. */
export async function replaceMarker(objects: ObjectStore, databaseId: string): Promise<void> {
  await objects.put(MARKER_KEY, Readable.from([bytesOf(databaseId)]), { maxBytes: MAX_BYTES });
}
