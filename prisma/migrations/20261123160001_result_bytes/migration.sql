-- AlterTable
ALTER TABLE "video_uploads" ADD COLUMN     "result_bytes" BIGINT NOT NULL DEFAULT 0;

-- By hand: what a job has made counts for the owner, too. The triggers that count `size_bytes` stay as they are. These run for rows
-- with a result only, and not when the progress of a job is written, because that doesn't name the column.
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
