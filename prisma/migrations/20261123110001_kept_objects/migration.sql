-- CreateTable
CREATE TABLE "kept_objects" (
    "key" VARCHAR(512) NOT NULL,
    "owner_id" UUID NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "keep_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kept_objects_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "kept_objects_keep_until_idx" ON "kept_objects"("keep_until");

-- By hand: what is kept counts for its owner, as uploads and reservations do.
CREATE TRIGGER count_added AFTER INSERT ON kept_objects
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
CREATE TRIGGER count_removed AFTER DELETE ON kept_objects
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_bytes();
