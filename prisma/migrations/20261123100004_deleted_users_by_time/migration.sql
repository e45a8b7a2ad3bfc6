-- Once an hour, maintenance looks for deleted users whose data is still there.
CREATE INDEX CONCURRENTLY "users_deleted_at_idx" ON "users"("deleted_at") WHERE "deleted_at" IS NOT NULL;
