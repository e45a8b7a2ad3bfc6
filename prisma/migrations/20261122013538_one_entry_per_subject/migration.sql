-- DropIndex
DROP INDEX "members_user_id_idx";

-- DropIndex
DROP INDEX "notifications_created_at_idx";

-- DropIndex
DROP INDEX "notifications_user_id_created_at_id_idx";

-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "member_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "members_version" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "conversation_created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "event_count" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "subject_id" VARCHAR(64),
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
ADD COLUMN     "xact_id" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- By hand: what is there already becomes what the new version would have written.
UPDATE "conversations" c SET "member_count" = (SELECT count(*) FROM "members" m WHERE m."conversation_id" = c."id");
UPDATE "members" m SET "conversation_created_at" = c."created_at" FROM "conversations" c WHERE c."id" = m."conversation_id";
UPDATE "notifications" SET "updated_at" = "created_at",
  "subject_id" = CASE WHEN "resource_type" = 'message' THEN split_part("resource_href", '/', 3) ELSE "resource_id" END;
-- Of several about one subject, the newest unread one stays, and else the newest; it begins where the first unread one did.
CREATE TEMPORARY TABLE "ranked" ON COMMIT DROP AS
  SELECT "id", row_number() OVER (each ORDER BY "read_at" IS NULL DESC, "created_at" DESC, "id" DESC) AS "place",
    count(*) FILTER (WHERE "read_at" IS NULL) OVER each AS "unread",
    min("created_at") FILTER (WHERE "read_at" IS NULL) OVER each AS "began_at"
  FROM "notifications" WINDOW each AS (PARTITION BY "user_id", "subject_id", "kind");
DELETE FROM "notifications" n USING "ranked" r WHERE r."id" = n."id" AND r."place" > 1;
UPDATE "notifications" n SET "event_count" = r."unread", "created_at" = r."began_at"
  FROM "ranked" r WHERE r."id" = n."id" AND r."unread" > 1;
DROP TABLE "ranked";

-- CreateIndex
CREATE INDEX "members_user_id_conversation_created_at_conversation_id_idx" ON "members"("user_id", "conversation_created_at" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "notifications_user_id_subject_id_kind_key" ON "notifications"("user_id", "subject_id", "kind");

-- By hand: the lists, so that one without an entry reads nothing, and the count of what is unread. There is none over both
-- statuses: PostgreSQL would take it for the unread ones too, and pass all that was read.
CREATE INDEX "notifications_unread_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC) WHERE "read_at" IS NULL;
CREATE INDEX "notifications_read_idx" ON "notifications"("user_id", "created_at" DESC, "id" DESC) WHERE "read_at" IS NOT NULL;
CREATE INDEX "notifications_unread_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC) WHERE "read_at" IS NULL;
CREATE INDEX "notifications_read_kind_idx" ON "notifications"("user_id", "kind", "created_at" DESC, "id" DESC) WHERE "read_at" IS NOT NULL;
-- By hand: what is kept no longer, as an expression that only the purge uses; a list of one user must not be read by it.
CREATE INDEX "notifications_purge_idx" ON "notifications"(("created_at" AT TIME ZONE 'UTC'));

-- By hand: the jobs of deletion find what they have to do by it.
CREATE INDEX "conversations_deleted_at_idx" ON "conversations"("deleted_at") WHERE "deleted_at" IS NOT NULL;

-- By hand: triggers, so that the columns are right whichever version of the service writes while one takes over.
CREATE FUNCTION count_member_in() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE conversations SET member_count = member_count + 1, members_version = members_version + 1
    WHERE id = NEW.conversation_id RETURNING created_at INTO NEW.conversation_created_at;
  NEW.conversation_created_at := coalesce(NEW.conversation_created_at, now());
  RETURN NEW;
END $$;
CREATE FUNCTION count_member_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE conversations SET member_count = member_count - 1, members_version = members_version + 1 WHERE id = OLD.conversation_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_member_in BEFORE INSERT ON "members" FOR EACH ROW EXECUTE FUNCTION count_member_in();
CREATE TRIGGER count_member_out AFTER DELETE ON "members" FOR EACH ROW EXECUTE FUNCTION count_member_out();
