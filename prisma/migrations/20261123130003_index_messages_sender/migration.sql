CREATE INDEX CONCURRENTLY "messages_sender_id_idx" ON "messages"("sender_id");
