import type { Tx } from "../database/client.ts";
import type { Tables } from "../database/table.ts";
import { removePartial } from "./resumable/store.ts";
import { deleteUpload, type DeletionParts } from "./service.ts";
import { findAllWhere, removeUpload } from "./store.ts";

/** On the coordinator: they have triggers, and the job of an upload is enqueued in the same transaction. */
export const tables = {
  video_uploads: {
    users: { owner_id: "erased" },
    userContent: ["name"],
    metadata: ["object_key", "sha256", "status", "stage", "error_code", "error_detail", "result"],
    async erase(env, { id: ownerId }, signal, batch) {
      const { partials, uploads } = await findAllWhere(env.db, { ownerId }, { take: batch });
      const found = [...partials, ...uploads];
      for (const { id } of found) {
        signal.throwIfAborted();
        const removeWhole = (tx: Tx) => removeUpload(tx, { id, ownerId });
        await deleteUpload(env, id, async (tx) => (await removePartial(tx, { id, ownerId, writer: null })) ?? removeWhole(tx));
      }
      return found.length;
    },
  },
  video_running_time: { users: { owner_id: "cascade" } },
  partial_uploads: { users: { owner_id: "erased" }, userContent: ["name"], metadata: ["writer"] },
  partial_pieces: { metadata: ["key", "sha256"] },
  upload_reservations: { users: { owner_id: "removed" } },
  storage_usage: { users: { user_id: "cascade" } },
  // Retained for backups, so they outlive their user.
  kept_objects: { users: { owner_id: "stays" }, metadata: ["key"] },
  store_ties: { metadata: ["database_id", "made_in", "problem", "sweeper"] },
  orphaned_objects: { metadata: ["key", "reason"] },
} satisfies Tables<DeletionParts>;
