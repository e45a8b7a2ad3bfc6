import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Input, Routed } from "../../src/contract/contract.ts";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { StorageFailure } from "../../src/storage/object-store.ts";
import { videoUploadHandlers } from "../../src/video-uploads/handlers.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

/** Uploads bytes to a store that accepts them but is unavailable for their removal. */
function uploadWithKey(key: string, bytes: string) {
  const objects = {
    ...createFileStore(join(service.dataDir, "objects")),
    deletePrefix: async () => {
      throw new StorageFailure("unavailable", "the store does not answer");
    },
  };
  const handlers = videoUploadHandlers({
    db: service.db,
    pool: service.db,
    objects,
    cursors: createCursors(["a secret of these tests"]),
    maxStoredBytesPerUser: 2 ** 40,
    queue: { enqueue: async () => undefined, remove: async () => undefined } as JobQueue,
    log: pino({ level: "silent" }),
    maxUploadBytes: 1_000,
    idleMs: 10_000,
    keepOriginals: true,
  });
  const input: Input<"createVideoUpload"> = {
    operation: "createVideoUpload" as Routed<"createVideoUpload">,
    principal: {
      userId: ada.userId,
      displayName: "",
      scopes: new Set(),
      credential: { kind: "api_key", keyId: null, expiresAt: null },
    },
    path: {},
    query: {},
    header: { "Idempotency-Key": key },
    body: Readable.from([Buffer.from(bytes)]),
    announceUpload: () => undefined,
    checkResponse: () => undefined,
  };
  return handlers.createVideoUpload(input);
}

it("a replay and a refusal are returned even if the bytes of their request can't be deleted yet", async () => {
  const key = "the-store-is-away";
  const first = await uploadWithKey(key, "one video");
  expect(await uploadWithKey(key, "one video")).toMatchObject({ status: 202, body: first.body });
  await expect(uploadWithKey(key, "another video")).rejects.toMatchObject({ code: "idempotency_key_reused" });
});
