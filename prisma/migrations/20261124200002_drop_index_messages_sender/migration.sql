-- The index of the sender, conversation and sequence begins with the same column. No release has this one.
DROP INDEX CONCURRENTLY IF EXISTS "messages_sender_id_idx";
