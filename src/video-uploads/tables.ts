import type { Tables } from "../database/table.ts";
import { findUploadsOf } from "./erasure-store.ts";
import { removePartial } from "./resumable/store.ts";
import { deleteUpload, type DeletionParts } from "./service.ts";
import { removeUpload } from "./store.ts";

export const tables = {
  video_uploads: {
    users: { owner_id: "erased" },
    written: ["name"],
    technical: ["object_key", "sha256", "status", "stage", "error_code", "error_detail", "result"],
    async erase(env, { id: ownerId }, signal, batch) {
      const { partials, uploads } = await findUploadsOf(env.db, ownerId, batch);
      // In this order, because an upload leaves the first table when it enters the second.
      for (const id of partials) {
        signal.throwIfAborted();
        await deleteUpload(
          env,
          id,
          async (tx) => (await removePartial(tx, { id, ownerId, writer: null })) ?? removeUpload(tx, { id, ownerId }),
        );
      }
      for (const id of uploads) {
        signal.throwIfAborted();
        await deleteUpload(env, id, (tx) => removeUpload(tx, { id, ownerId }));
      }
      return partials.length + uploads.length;
    },
  },
  video_running_time: { users: { owner_id: "cascade" } },
  partial_uploads: { users: { owner_id: "erased" }, written: ["name"], technical: ["writer"] },
  partial_pieces: { technical: ["key", "sha256"] },
  upload_reservations: { users: { owner_id: "removed" } },
  storage_usage: { users: { user_id: "cascade" } },
  // What a backup needs outlives its user.
  kept_objects: { users: { owner_id: "stays" }, technical: ["key"] },
  store_ties: { technical: ["database_id", "made_in", "problem", "sweeper"] },
  orphaned_objects: { technical: ["key", "reason"] },
} satisfies Tables<DeletionParts>;
