import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import type { Client } from "./client.ts";
import type { TestService } from "./service.ts";

/** The result of a finished video with a poster, a sprite of three tiles and one rendition. */
const resultWith = <File extends object>(poster: File, rendition: File) => ({
  container: "mp4",
  durationMs: 1_000,
  width: 8,
  height: 6,
  videoCodec: "h264",
  audioCodec: null,
  poster,
  sprite: { ...poster, width: 6, height: 4, tileWidth: 3, tileHeight: 2, tileCount: 3, intervalMs: 400 },
  renditions: [{ ...rendition, name: "480p", durationMs: 1_000 }],
});

/** Stores a succeeded video without processing: these bytes are each of its files. Returns its id. */
export async function storeResult(
  service: Pick<TestService, "db">,
  client: Client,
  objects: Pick<ObjectStore, "put">,
  bytes: Uint8Array = Buffer.from("a rendition"),
): Promise<string> {
  const id = randomUUID();
  const objectKey = `video-uploads/${id}/1/480p.mp4`;
  const { sizeBytes, sha256 } = await objects.put(objectKey, Readable.from([bytes]), { maxBytes: bytes.length });
  const file = { objectKey, contentType: "video/mp4", width: 4, height: 2, sizeBytes, sha256 };
  const result = resultWith({ ...file, contentType: "image/jpeg" }, file);
  await service.db.videoUpload.create({
    data: {
      id,
      ownerId: client.userId,
      objectKey: `video-uploads/${id}/original`,
      sizeBytes,
      sha256,
      status: "succeeded",
      percent: 100,
      attempt: 1,
      finishedAt: new Date(),
      result,
    },
  });
  return id;
}
