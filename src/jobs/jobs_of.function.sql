-- The jobs of a queue, for statements of areas: only this folder reads the tables of pg-boss. PostgreSQL inlines the query.
CREATE OR REPLACE FUNCTION jobs_of(queue text)
RETURNS TABLE (id uuid, state text, attempt int, start_after timestamptz, last_seen_at timestamptz) LANGUAGE sql STABLE AS $$
-- Edition 1
SELECT id, state::text, retry_count + 1, start_after, coalesce(heartbeat_on, started_on) FROM pgboss.job WHERE name = queue
$$;
