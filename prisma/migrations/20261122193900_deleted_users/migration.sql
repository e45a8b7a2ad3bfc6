-- AlterTable
ALTER TABLE "users" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- By hand: IF NOT EXISTS. The removal of a user needs these indexes, and building one holds up writes into its table. On a large
-- database, create them before the upgrade, each with CREATE INDEX CONCURRENTLY and the same name; then this does nothing.
CREATE INDEX IF NOT EXISTS "short_urls_owner_id_idx" ON "short_urls"("owner_id");
CREATE INDEX IF NOT EXISTS "conversations_created_by_idx" ON "conversations"("created_by");
CREATE INDEX IF NOT EXISTS "messages_sender_id_idx" ON "messages"("sender_id");
