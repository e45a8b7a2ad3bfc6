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

-- CreateIndex
CREATE UNIQUE INDEX "upload_reservations_partial_id_key" ON "upload_reservations"("partial_id");

-- CreateIndex
CREATE INDEX "upload_reservations_touched_at_idx" ON "upload_reservations"("touched_at");

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_partial_id_fkey" FOREIGN KEY ("partial_id") REFERENCES "partial_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "storage_usage" ADD CONSTRAINT "storage_usage_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

LOCK TABLE video_uploads IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO storage_usage (user_id, size_bytes) SELECT owner_id, sum(size_bytes)::bigint FROM video_uploads GROUP BY owner_id;

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
