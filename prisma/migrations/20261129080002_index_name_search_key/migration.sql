-- In the order of bytes, so that the names with one beginning are a range whatever the collation of the database.
CREATE INDEX CONCURRENTLY "users_name_search_key_idx" ON "users"((name_search_key("display_name")) COLLATE "C", "id") WHERE "deleted_at" IS NULL;
