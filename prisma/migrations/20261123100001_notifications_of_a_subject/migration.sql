-- A conversation that is removed, and the erasure of a user, find notifications by it. An event never changes the column.
CREATE INDEX CONCURRENTLY "notifications_subject_id_idx" ON "notifications"("subject_id");
