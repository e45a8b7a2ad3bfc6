-- A notification that is marked anew has a later `read_at`, so it is not archived any more, whoever marked it.
CREATE INDEX CONCURRENTLY "notifications_archived_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC)
WHERE ("archived_at" >= "read_at") IS TRUE;
