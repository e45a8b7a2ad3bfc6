CREATE INDEX CONCURRENTLY "notifications_archived_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC)
WHERE ("archived_at" >= "read_at") IS TRUE;
