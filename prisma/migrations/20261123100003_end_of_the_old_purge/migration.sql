-- The purge goes by the last event now. A worker of the previous release reads the table instead of this index, once an hour.
DROP INDEX CONCURRENTLY IF EXISTS "notifications_purge_idx";
