-- While nearly all rows have one kind, the sample of ANALYZE may contain no other. PostgreSQL then takes a condition on the kind
-- for one that all rows meet, and reads every notification of a user for a list of a kind that the user has none of.
ALTER TABLE "notifications" ALTER COLUMN "kind" SET (n_distinct = 4);
ALTER TABLE "video_uploads" ALTER COLUMN "status" SET (n_distinct = 4);
ANALYZE "notifications" ("kind"), "video_uploads" ("status");
