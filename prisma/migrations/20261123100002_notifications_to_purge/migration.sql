-- When the purge looks at a notification, as an expression that only the purge uses; a list of one user must not be read by it.
CREATE INDEX CONCURRENTLY "notifications_purge_from_idx" ON "notifications"((coalesce("purge_from", "created_at") AT TIME ZONE 'UTC'));
