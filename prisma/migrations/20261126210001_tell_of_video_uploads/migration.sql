-- Tells the processes whose requests wait for a video upload that it has changed, and those that wait for the notifications of its owner
-- that there is one. A trigger, because workers of 1.1.0, commands and deletions change it, too. A worker records progress at most three times in a second.
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
