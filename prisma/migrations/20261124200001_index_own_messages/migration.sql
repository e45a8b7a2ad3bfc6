CREATE INDEX CONCURRENTLY "messages_sender_id_conversation_id_sequence_idx" ON "messages"("sender_id", "conversation_id", "sequence");
