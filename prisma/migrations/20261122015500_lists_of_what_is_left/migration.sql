-- DropIndex
DROP INDEX "short_urls_owner_id_created_at_id_idx";

-- By hand: a list must not pass by what was deleted.
CREATE INDEX "short_urls_owner_id_created_at_id_idx" ON "short_urls"("owner_id", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;

-- CreateIndex
CREATE INDEX "video_uploads_owner_id_status_created_at_id_idx" ON "video_uploads"("owner_id", "status", "created_at" DESC, "id" DESC);
