-- The results that were there before count, too. It commits each batch, so it holds few locks and can be repeated. It passes by rows
-- that a request removes at the moment.
DO $$
DECLARE
  last_id uuid := '00000000-0000-0000-0000-000000000000';
  page uuid[];
BEGIN
  LOOP
    page := ARRAY(SELECT id FROM video_uploads WHERE id > last_id ORDER BY id LIMIT 500);
    EXIT WHEN page = '{}';
    last_id := page[cardinality(page)];

    WITH found AS MATERIALIZED (
      SELECT id, result FROM video_uploads
      WHERE id = ANY (page) AND status = 'succeeded' AND result_bytes = 0 AND jsonb_typeof(result->'renditions') = 'array'
      ORDER BY id FOR UPDATE SKIP LOCKED)
    UPDATE video_uploads v SET result_bytes = coalesce((f.result->'poster'->>'sizeBytes')::bigint, 0) + coalesce(
      (SELECT sum((made->>'sizeBytes')::bigint) FROM jsonb_array_elements(f.result->'renditions') AS made), 0)
    FROM found f WHERE v.id = f.id;
    COMMIT;
  END LOOP;
END $$;
