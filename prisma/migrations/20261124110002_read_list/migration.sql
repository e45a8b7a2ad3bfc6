-- What is read and not archived. The index of all that is read (notifications_read_idx) stays as long as a process of 1.0.0 can run, which
-- knows no archive; so does that by kind.
CREATE INDEX CONCURRENTLY "notifications_read_list_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC)
WHERE "read_at" IS NOT NULL AND ("archived_at" >= "read_at") IS NOT TRUE;
