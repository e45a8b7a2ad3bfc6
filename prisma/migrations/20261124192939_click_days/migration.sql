-- CreateTable
CREATE TABLE "click_days" (
    "short_url_id" VARCHAR(64) NOT NULL,
    "day" DATE NOT NULL,
    "click_count" BIGINT NOT NULL,

    CONSTRAINT "click_days_pkey" PRIMARY KEY ("short_url_id","day")
);

-- CreateIndex
CREATE INDEX "click_days_day_idx" ON "click_days"("day");

-- AddForeignKey
ALTER TABLE "click_days" ADD CONSTRAINT "click_days_short_url_id_fkey" FOREIGN KEY ("short_url_id") REFERENCES "short_urls"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand: a short URL that is deleted or erased has no days, whichever version of the service does it. The row of the short URL is
-- locked, so clicks that are being counted have been counted before, and are removed too.
CREATE FUNCTION remove_click_days() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM click_days WHERE short_url_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER remove_click_days AFTER UPDATE OF deleted_at ON "short_urls" FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION remove_click_days();

-- By hand: release 1.0.0 counts no days, so the database does it for that release. The statement of later ones sets
-- `plumbline.counts_days`. The release after 1.1.0 that no longer runs beside 1.0.0 removes this trigger.
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
