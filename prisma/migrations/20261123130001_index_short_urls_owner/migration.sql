-- The removal of a user needs this index, and the two in the next migrations.
CREATE INDEX CONCURRENTLY "short_urls_owner_id_idx" ON "short_urls"("owner_id");
