-- baseline: 20261127000001_webhooks of release 1.2.0
-- The schema of that release, in place of the 54 migrations that led to it. A database that has had the one in the first line gets only
-- the record of this one, as by `prisma migrate resolve --applied`. Made by `prisma migrate diff --from-empty`, with the columns in the
-- order of those migrations.

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "display_name" VARCHAR(100) NOT NULL,
    "issuer" VARCHAR(500),
    "subject" VARCHAR(255),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" VARCHAR(16) NOT NULL,
    "user_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "short_urls" (
    "id" VARCHAR(64) NOT NULL,
    "owner_id" UUID NOT NULL,
    "target_url" TEXT NOT NULL,
    "click_count" BIGINT NOT NULL DEFAULT 0,
    "last_clicked_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "expired_url" TEXT,

    CONSTRAINT "short_urls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "click_days" (
    "short_url_id" VARCHAR(64) NOT NULL,
    "day" DATE NOT NULL,
    "click_count" BIGINT NOT NULL,

    CONSTRAINT "click_days_pkey" PRIMARY KEY ("short_url_id","day")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" VARCHAR(60) NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "body" VARCHAR(500),
    "resource_type" VARCHAR(60) NOT NULL,
    "resource_id" VARCHAR(64) NOT NULL,
    "resource_href" VARCHAR(300) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "read_at" TIMESTAMPTZ(3),
    "event_count" INTEGER NOT NULL DEFAULT 1,
    "subject_id" VARCHAR(64),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "xact_id" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "actor_id" UUID,
    "purge_from" TIMESTAMPTZ(3),
    "archived_at" TIMESTAMPTZ(3),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "video_uploads" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" VARCHAR(255),
    "object_key" VARCHAR(200) NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "sha256" CHAR(64) NOT NULL,
    "status" VARCHAR(20) NOT NULL DEFAULT 'queued',
    "stage" VARCHAR(40),
    "percent" INTEGER NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "error_code" VARCHAR(60),
    "error_detail" VARCHAR(1000),
    "result" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "result_bytes" BIGINT NOT NULL DEFAULT 0,
    "expected_seconds" DOUBLE PRECISION,
    "ran_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0,

    CONSTRAINT "video_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "video_running_time" (
    "owner_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "seconds" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "video_running_time_pkey" PRIMARY KEY ("owner_id","hour")
);

-- CreateTable
CREATE TABLE "partial_uploads" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" VARCHAR(255),
    "length_bytes" BIGINT,
    "writer" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "offset_bytes" BIGINT NOT NULL DEFAULT 0,
    "piece_count" INTEGER NOT NULL DEFAULT 0,
    "told_bytes" BIGINT,

    CONSTRAINT "partial_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "partial_pieces" (
    "upload_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "key" VARCHAR(512) NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "sha256" VARCHAR(64) NOT NULL,

    CONSTRAINT "partial_pieces_pkey" PRIMARY KEY ("upload_id","position")
);

-- CreateTable
CREATE TABLE "upload_reservations" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "partial_id" UUID,
    "size_bytes" BIGINT NOT NULL,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "upload_reservations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "storage_usage" (
    "user_id" UUID NOT NULL,
    "size_bytes" BIGINT NOT NULL,

    CONSTRAINT "storage_usage_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "kept_objects" (
    "key" VARCHAR(512) NOT NULL,
    "owner_id" UUID NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "keep_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kept_objects_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "store_ties" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "database_id" UUID NOT NULL,
    "made_in" VARCHAR(60) NOT NULL,
    "swept_at" TIMESTAMPTZ(3),
    "problem" VARCHAR(40),
    "stored_count" INTEGER NOT NULL DEFAULT 0,
    "orphan_count" INTEGER NOT NULL DEFAULT 0,
    "approved_count" INTEGER,
    "sweeper" UUID,
    "sweeper_until" TIMESTAMPTZ(3),

    CONSTRAINT "store_ties_pkey" PRIMARY KEY ("is_only")
);

-- CreateTable
CREATE TABLE "log_histories" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "id" CHAR(12) NOT NULL,
    "server" VARCHAR(40) NOT NULL,

    CONSTRAINT "log_histories_pkey" PRIMARY KEY ("is_only")
);

-- CreateTable
CREATE TABLE "orphaned_objects" (
    "key" VARCHAR(512) NOT NULL,
    "reason" VARCHAR(40) NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "orphaned_objects_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "conversations" (
    "id" UUID NOT NULL,
    "title" VARCHAR(200),
    "created_by" UUID NOT NULL,
    "last_sequence" INTEGER NOT NULL DEFAULT 0,
    "last_message_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "deleted_at" TIMESTAMPTZ(3),
    "member_count" INTEGER NOT NULL DEFAULT 0,
    "members_version" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "conversation_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" VARCHAR(20) NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "conversation_created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_read_sequence" INTEGER NOT NULL DEFAULT 0,
    "muted_at" TIMESTAMPTZ(3),

    CONSTRAINT "members_pkey" PRIMARY KEY ("conversation_id","user_id")
);

-- CreateTable
CREATE TABLE "listed_conversations" (
    "user_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "conversation_created_at" TIMESTAMPTZ(3) NOT NULL,
    "active_hour" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "listed_conversations_pkey" PRIMARY KEY ("user_id","conversation_id")
);

-- CreateTable
CREATE TABLE "former_members" (
    "user_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,

    CONSTRAINT "former_members_pkey" PRIMARY KEY ("user_id","conversation_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "sequence" INTEGER NOT NULL,
    "sender_id" UUID NOT NULL,
    "body" TEXT NOT NULL,
    "idempotency_key" VARCHAR(128) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "messages_pkey" PRIMARY KEY ("conversation_id","sequence")
);

-- CreateTable
CREATE TABLE "posts" (
    "id" UUID NOT NULL,
    "author_id" UUID NOT NULL,
    "title" VARCHAR(200) NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "posts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "user_id" UUID NOT NULL,
    "operation_id" VARCHAR(60) NOT NULL,
    "key" VARCHAR(128) NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "status" INTEGER NOT NULL,
    "headers" JSONB NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '72:00:00'::interval),

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","operation_id","key")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "description" VARCHAR(200),
    "events" TEXT[],
    "scopes" TEXT[],
    "secret" VARCHAR(60) NOT NULL,
    "previous_secret" VARCHAR(60),
    "previous_secret_until" TIMESTAMPTZ(3),
    "disabled_because" VARCHAR(20),
    "failing_since" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "resume_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),
    "is_slow" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event" VARCHAR(60) NOT NULL,
    "data" JSONB NOT NULL,
    "status" VARCHAR(20) NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "attempted_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response_body" VARCHAR(1024),
    "failure" VARCHAR(40),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("owner_id","id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "action" VARCHAR(40) NOT NULL,
    "user_id" UUID,
    "details" JSONB NOT NULL,
    "operator" VARCHAR(100) NOT NULL,
    "host" VARCHAR(255) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + '365 days'::interval),

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_issuer_subject_key" ON "users"("issuer", "subject");

-- CreateIndex
CREATE INDEX "api_keys_user_id_idx" ON "api_keys"("user_id");

-- CreateIndex
CREATE INDEX "short_urls_owner_id_idx" ON "short_urls"("owner_id");

-- CreateIndex
CREATE INDEX "click_days_day_idx" ON "click_days"("day");

-- CreateIndex
CREATE INDEX "notifications_subject_id_idx" ON "notifications"("subject_id");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_user_id_subject_id_kind_key" ON "notifications"("user_id", "subject_id", "kind");

-- CreateIndex
CREATE INDEX "video_uploads_owner_id_created_at_id_idx" ON "video_uploads"("owner_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "video_uploads_owner_id_status_created_at_id_idx" ON "video_uploads"("owner_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "video_uploads_status_idx" ON "video_uploads"("status");

-- CreateIndex
CREATE INDEX "video_running_time_hour_idx" ON "video_running_time"("hour");

-- CreateIndex
CREATE INDEX "partial_uploads_created_at_idx" ON "partial_uploads"("created_at");

-- CreateIndex
CREATE INDEX "partial_uploads_owner_id_idx" ON "partial_uploads"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "upload_reservations_partial_id_key" ON "upload_reservations"("partial_id");

-- CreateIndex
CREATE INDEX "upload_reservations_touched_at_idx" ON "upload_reservations"("touched_at");

-- CreateIndex
CREATE INDEX "kept_objects_keep_until_idx" ON "kept_objects"("keep_until");

-- CreateIndex
CREATE INDEX "conversations_created_at_id_idx" ON "conversations"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "conversations_created_by_idx" ON "conversations"("created_by");

-- CreateIndex
CREATE INDEX "members_user_id_conversation_created_at_conversation_id_idx" ON "members"("user_id", "conversation_created_at" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE INDEX "members_conversation_id_joined_at_user_id_idx" ON "members"("conversation_id", "joined_at", "user_id");

-- CreateIndex
CREATE INDEX "listed_conversations_user_id_conversation_created_at_conver_idx" ON "listed_conversations"("user_id", "conversation_created_at" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE INDEX "listed_conversations_user_id_active_hour_conversation_id_idx" ON "listed_conversations"("user_id", "active_hour" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE INDEX "former_members_conversation_id_idx" ON "former_members"("conversation_id");

-- CreateIndex
CREATE UNIQUE INDEX "messages_id_key" ON "messages"("id");

-- CreateIndex
CREATE INDEX "messages_sender_id_conversation_id_sequence_idx" ON "messages"("sender_id", "conversation_id", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "messages_conversation_id_sender_id_idempotency_key_key" ON "messages"("conversation_id", "sender_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "posts_created_at_id_idx" ON "posts"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "posts_author_id_created_at_id_idx" ON "posts"("author_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "webhook_endpoints_owner_id_created_at_id_idx" ON "webhook_endpoints"("owner_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpoint_id_created_at_id_idx" ON "webhook_deliveries"("endpoint_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpoint_id_status_created_at_id_idx" ON "webhook_deliveries"("endpoint_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");

-- CreateIndex
CREATE INDEX "audit_entries_user_id_idx" ON "audit_entries"("user_id");

-- CreateIndex
CREATE INDEX "audit_entries_expires_at_idx" ON "audit_entries"("expires_at");

-- CreateIndex
CREATE INDEX "rate_limits_expire_idx" ON "rate_limits"("expire");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "short_urls" ADD CONSTRAINT "short_urls_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "click_days" ADD CONSTRAINT "click_days_short_url_id_fkey" FOREIGN KEY ("short_url_id") REFERENCES "short_urls"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_uploads" ADD CONSTRAINT "video_uploads_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_running_time" ADD CONSTRAINT "video_running_time_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "partial_uploads" ADD CONSTRAINT "partial_uploads_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "partial_pieces" ADD CONSTRAINT "partial_pieces_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "partial_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_partial_id_fkey" FOREIGN KEY ("partial_id") REFERENCES "partial_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "storage_usage" ADD CONSTRAINT "storage_usage_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "listed_conversations" ADD CONSTRAINT "listed_conversations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_sender_id_fkey" FOREIGN KEY ("sender_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "posts" ADD CONSTRAINT "posts_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- By hand, from here on: what the schema language can't express. First the closed vocabularies and ranges.
ALTER TABLE "video_uploads" ADD CONSTRAINT "video_uploads_status_check" CHECK ("status" IN ('queued', 'processing', 'succeeded', 'failed'));
ALTER TABLE "video_uploads" ADD CONSTRAINT "video_uploads_percent_check" CHECK ("percent" BETWEEN 0 AND 100);
ALTER TABLE "members" ADD CONSTRAINT "members_role_check" CHECK ("role" IN ('owner', 'member'));
ALTER TABLE "messages" ADD CONSTRAINT "messages_sequence_check" CHECK ("sequence" >= 1);
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('pending', 'succeeded', 'failed'));

-- While nearly all rows have one kind, the sample of ANALYZE may contain no other. PostgreSQL then takes a condition on the kind
-- for one that all rows meet, and reads every notification of a user for a list of a kind that the user has none of.
ALTER TABLE "notifications" ALTER COLUMN "kind" SET (n_distinct = 4);
ALTER TABLE "video_uploads" ALTER COLUMN "status" SET (n_distinct = 4);

-- The form in which the search for users compares names: without accents, and in lower case. It is in an index, so its text must never
-- change: another form is another function, with another index. Marks of vowels in Indic scripts are no accents, so they stay. No
-- key is longer than a name: one character can become 18 (U+FDFA), and an index takes no row of more than 2.7 KB.
CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN left(lower(regexp_replace(normalize(name, NFKD),
  '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]',
  '', 'g')), 100);

-- Partial indexes, and those of an expression. Lists pass by what is deleted, and the index of names is in the order of bytes, so that
-- the names with one beginning are a range whatever the collation of the database. A conversation has one owner, whatever the code does.
CREATE INDEX "conversations_deleted_at_idx" ON "conversations"("deleted_at") WHERE "deleted_at" IS NOT NULL;
CREATE UNIQUE INDEX "members_owner_key" ON "members"("conversation_id") WHERE "role" = 'owner';
CREATE INDEX "notifications_archived_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC)
WHERE ("archived_at" >= "read_at") IS TRUE;
CREATE INDEX "notifications_archived_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC)
WHERE ("archived_at" >= "read_at") IS TRUE;
CREATE INDEX "notifications_purge_from_idx" ON "notifications"((coalesce("purge_from", "created_at") AT TIME ZONE 'UTC'));
CREATE INDEX "notifications_read_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC) WHERE "read_at" IS NOT NULL;
CREATE INDEX "notifications_read_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC) WHERE "read_at" IS NOT NULL;
CREATE INDEX "notifications_read_list_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC)
WHERE "read_at" IS NOT NULL AND ("archived_at" >= "read_at") IS NOT TRUE;
CREATE INDEX "notifications_read_list_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC)
WHERE "read_at" IS NOT NULL AND ("archived_at" >= "read_at") IS NOT TRUE;
CREATE INDEX "notifications_unread_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC) WHERE "read_at" IS NULL;
CREATE INDEX "notifications_unread_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC) WHERE "read_at" IS NULL;
CREATE INDEX "short_urls_owner_id_created_at_id_idx" ON "short_urls"("owner_id", "created_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "users_deleted_at_idx" ON "users"("deleted_at") WHERE "deleted_at" IS NOT NULL;
CREATE INDEX "users_name_key_idx" ON "users"((name_key("display_name")) COLLATE "C", "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries"("endpoint_id", "next_attempt_at", "owner_id") WHERE "next_attempt_at" IS NOT NULL;

-- What a user has stored follows both tables, whoever changes them and however many rows at once. The row that is changed
-- is locked until the end of the transaction, so uploads at the same time are counted one after the other.
CREATE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE storage_usage SET size_bytes = storage_usage.size_bytes - gone.size_bytes
    FROM (SELECT owner_id, sum(size_bytes)::bigint AS size_bytes FROM removed GROUP BY owner_id) gone
    WHERE user_id = gone.owner_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_usage (user_id, size_bytes)
    SELECT owner_id, sum(size_bytes)::bigint FROM added GROUP BY owner_id ORDER BY owner_id
    ON CONFLICT (user_id) DO UPDATE SET size_bytes = storage_usage.size_bytes + excluded.size_bytes;
  END IF;
  RETURN NULL;
END $$;
-- The size of an upload never changes, and its progress does all the time: so there is no trigger on its updates.
CREATE TRIGGER count_added AFTER INSERT ON video_uploads
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_removed AFTER DELETE ON video_uploads
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_added AFTER INSERT ON upload_reservations
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_changed AFTER UPDATE ON upload_reservations
REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_removed AFTER DELETE ON upload_reservations
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_added AFTER INSERT ON kept_objects
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_removed AFTER DELETE ON kept_objects
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();

-- What a job has made counts for the owner, too. The triggers run for rows with a result only, and not when the progress of a job is
-- written, because that doesn't name the column.
CREATE FUNCTION count_result_bytes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE storage_usage SET size_bytes = size_bytes - OLD.result_bytes WHERE user_id = OLD.owner_id;
  ELSE
    INSERT INTO storage_usage (user_id, size_bytes)
    VALUES (NEW.owner_id, NEW.result_bytes - CASE TG_OP WHEN 'UPDATE' THEN OLD.result_bytes ELSE 0 END)
    ON CONFLICT (user_id) DO UPDATE SET size_bytes = storage_usage.size_bytes + excluded.size_bytes;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_result_added AFTER INSERT ON "video_uploads"
  FOR EACH ROW WHEN (NEW.result_bytes <> 0) EXECUTE FUNCTION count_result_bytes();
CREATE TRIGGER count_result_changed AFTER UPDATE OF "result_bytes" ON "video_uploads"
  FOR EACH ROW WHEN (NEW.result_bytes <> OLD.result_bytes) EXECUTE FUNCTION count_result_bytes();
CREATE TRIGGER count_result_removed AFTER DELETE ON "video_uploads"
  FOR EACH ROW WHEN (OLD.result_bytes <> 0) EXECUTE FUNCTION count_result_bytes();

-- Tells the processes whose requests wait for a video upload that it has changed, and those that wait for the notifications of its owner
-- that there is one. A trigger, because workers, commands and deletions change it. A worker records progress at most three times a second.
CREATE FUNCTION tell_of_video_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('plumbline_changes', 'video_upload:' || OLD.id);
  IF TG_OP = 'UPDATE' AND NEW.status IN ('succeeded', 'failed') THEN
    PERFORM pg_notify('plumbline_changes', 'user:' || OLD.owner_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tell_of_video_upload AFTER UPDATE OF status, stage, percent, attempt OR DELETE ON video_uploads
  FOR EACH ROW EXECUTE FUNCTION tell_of_video_upload();

-- A short URL that is deleted or erased has no days. The row of the short URL is locked, so clicks that are being counted have been
-- counted before, and are removed too.
CREATE FUNCTION remove_click_days() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM click_days WHERE short_url_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER remove_click_days AFTER UPDATE OF deleted_at ON "short_urls" FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION remove_click_days();

-- Which server this is, and on which timeline: a copy that is promoted or restored begins another timeline, and the server of a dump
-- is another cluster. Some providers don't permit to read its identifier.
CREATE FUNCTION server_identity() RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
  RETURN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' || (SELECT system_identifier FROM pg_control_system());
EXCEPTION WHEN insufficient_privilege THEN
  RETURN left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
END $$;

-- Counts members with statements that each name a conversation: on a cluster (Citus), a statement of a trigger can't read the rows that it
-- is called for together with a table that is spread over the nodes.
CREATE FUNCTION count_member_in() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  joined record;
  counted record;
BEGIN
  FOR joined IN SELECT conversation_id AS id, count(*)::int AS count, array_agg(user_id) AS users FROM inserted GROUP BY 1 LOOP
    UPDATE conversations c SET member_count = c.member_count + joined.count, members_version = c.members_version + 1
    WHERE c.id = joined.id RETURNING c.created_at, c.last_sequence INTO counted;
    -- Members who join when the conversation is created have its time and position by default. Others are written again.
    UPDATE members m SET conversation_created_at = counted.created_at, last_read_sequence = counted.last_sequence
    WHERE m.conversation_id = joined.id AND m.user_id = ANY (joined.users)
      AND (m.conversation_created_at, m.last_read_sequence) <> (counted.created_at, counted.last_sequence);
  END LOOP;
  RETURN NULL;
END $$;
CREATE FUNCTION count_member_out() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone record;
BEGIN
  FOR gone IN SELECT conversation_id AS id, count(*)::int AS count, array_agg(user_id) AS users FROM removed GROUP BY 1 LOOP
    UPDATE conversations c SET member_count = c.member_count - gone.count, members_version = c.members_version + 1
    WHERE c.id = gone.id;
    -- Who it was is written down only for a conversation that stays.
    IF FOUND THEN
      INSERT INTO former_members (conversation_id, user_id) SELECT gone.id, unnest(gone.users) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER count_member_in AFTER INSERT ON "members" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_member_in();
CREATE TRIGGER count_member_out AFTER DELETE ON "members" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_member_out();

-- The conversations as their members see them. A member has read up to the stored position, or up to their own newest message if that
-- is later: sending one stores no position. That message is looked up only if others wrote the newest one. BETWEEN and the order by
-- sender leave PostgreSQL one index for it: for `sender_id = user_id` and the order by sequence alone, it can also read the messages of
-- others backwards. GROUP BY makes a look-up of the newest message.
CREATE VIEW conversations_of_members AS
SELECT m.user_id, c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at, c.last_sequence,
  CASE WHEN m.last_read_sequence >= c.last_sequence THEN m.last_read_sequence
    WHEN newest.sender_id = m.user_id THEN c.last_sequence
    ELSE greatest(m.last_read_sequence, (
      SELECT own.sequence FROM messages own WHERE own.conversation_id = m.conversation_id
        AND (own.sender_id, own.conversation_id) BETWEEN (m.user_id, m.conversation_id) AND (m.user_id, m.conversation_id)
      ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS last_read_sequence,
  m.muted_at IS NOT NULL AS is_muted, newest.excerpt, newest.sender_id, newest.sent_at,
  (SELECT display_name FROM users u WHERE u.id = newest.sender_id AND u.deleted_at IS NULL) AS sender_name
FROM members m JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN LATERAL (
    SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at FROM messages
    WHERE conversation_id = c.id AND sequence = c.last_sequence GROUP BY conversation_id, sequence) AS newest ON true;

-- Triggers for processes of release 1.0.0. Later migrations drop them.
CREATE FUNCTION count_click_day() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO click_days AS d (short_url_id, day, click_count)
  VALUES (NEW.id, (NEW.last_clicked_at AT TIME ZONE 'UTC')::date, NEW.click_count - OLD.click_count)
  ON CONFLICT (short_url_id, day) DO UPDATE SET click_count = d.click_count + excluded.click_count;
  RETURN NULL;
END $$;
CREATE TRIGGER count_click_day AFTER UPDATE OF click_count ON "short_urls" FOR EACH ROW
  WHEN (NEW.click_count > OLD.click_count AND NEW.deleted_at IS NULL
    AND current_setting('plumbline.counts_days', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION count_click_day();
CREATE FUNCTION name_actor_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE notifications SET actor_id = NEW.sender_id
    WHERE subject_id = NEW.conversation_id::text AND kind = 'message.created' AND resource_id = NEW.id::text;
  UPDATE listed_conversations l SET active_hour = date_trunc('hour', c.last_message_at, 'UTC')
    FROM conversations c JOIN members m ON m.conversation_id = c.id
    WHERE c.id = NEW.conversation_id AND l.user_id = m.user_id AND l.conversation_id = c.id
      AND l.active_hour <> date_trunc('hour', c.last_message_at, 'UTC');
  RETURN NULL;
END $$;
CREATE TRIGGER name_actor_of_message AFTER INSERT ON messages FOR EACH ROW
WHEN (current_setting('plumbline.moves_positions', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION name_actor_of_message();
CREATE FUNCTION list_member_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
  SELECT i.user_id, c.id, c.created_at, date_trunc('hour', coalesce(c.last_message_at, c.created_at), 'UTC')
  FROM inserted i JOIN conversations c ON c.id = i.conversation_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION list_member_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM listed_conversations l USING removed r WHERE l.user_id = r.user_id AND l.conversation_id = r.conversation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER list_member_in AFTER INSERT ON "members" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION list_member_in();
CREATE TRIGGER list_member_out AFTER DELETE ON "members" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION list_member_out();
CREATE FUNCTION leave_muted_alone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM members WHERE user_id = NEW.user_id AND muted_at IS NOT NULL
    AND conversation_id = CASE WHEN NEW.subject_id ~ '^[0-9a-f-]{36}$' THEN NEW.subject_id::uuid END) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER leave_muted_alone BEFORE INSERT ON "notifications"
  FOR EACH ROW WHEN (NEW.actor_id IS NULL AND NEW.kind = 'message.created')
  EXECUTE FUNCTION leave_muted_alone();
