CREATE INDEX CONCURRENTLY "notifications_read_list_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC)
WHERE "read_at" IS NOT NULL AND ("archived_at" >= "read_at") IS NOT TRUE;
