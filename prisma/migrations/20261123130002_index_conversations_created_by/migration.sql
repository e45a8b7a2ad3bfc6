CREATE INDEX CONCURRENTLY "conversations_created_by_idx" ON "conversations"("created_by");
