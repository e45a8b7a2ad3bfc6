-- name: readClock :one!
-- The clock of the database, which also sets the times in `orphaned_objects`.
SELECT clock_timestamp()::timestamptz(3) AS "now!";

-- name: insertOrphans :execrows
-- Records orphans, or that they still exist. The order of the keys keeps two runs at the same time from a deadlock.
INSERT INTO orphaned_objects (key, reason)
SELECT * FROM unnest(:keys::text[], :reasons::text[]) ORDER BY 1
ON CONFLICT (key) DO UPDATE SET seen_at = clock_timestamp(), reason = excluded.reason;

-- name: findDue :many
-- The keys that have been orphans for some time without a break, in order.
SELECT key FROM orphaned_objects
WHERE first_seen_at <= clock_timestamp() - make_interval(secs => :age_seconds) AND key > :after
ORDER BY key LIMIT :limit;

-- name: recordGc :execrows
-- Records the result of a garbage collection for the log and the command `store`. `problem` is the reason if it removed nothing.
UPDATE store_ties SET swept_at = clock_timestamp(), problem = :problem?, stored_count = :stored, orphan_count = :orphans,
  approved_count = CASE WHEN :is_approval_spent::boolean THEN NULL ELSE approved_count END;

-- name: renewLease :execrows
-- Gives this garbage collection a lease of ten minutes for its next step. 0 if another one has the lease.
UPDATE store_ties SET sweeper = :sweeper, sweeper_until = clock_timestamp() + interval '10 minutes'
WHERE sweeper = :sweeper OR sweeper_until IS NULL OR sweeper_until < clock_timestamp();

-- name: releaseLease :execrows
-- Lets the next garbage collection begin.
UPDATE store_ties SET sweeper = NULL, sweeper_until = NULL WHERE sweeper = :sweeper;

-- name: findGcProblem :one
-- The reason if the last garbage collection removed nothing; otherwise null.
SELECT problem FROM store_ties;

-- name: insertIdentity :execrows
INSERT INTO store_ties (database_id, made_in) VALUES (:database_id, :made_in) ON CONFLICT DO NOTHING;

-- name: replaceIdentity :execrows
UPDATE store_ties SET database_id = :database_id, made_in = :made_in WHERE made_in <> :made_in;

-- name: findDatabase :one!
SELECT oid::text AS "oid!", has_function_privilege('pg_control_system()', 'EXECUTE') AS "may_ask!" FROM pg_database
WHERE datname = current_database();

-- name: findCluster :one!
SELECT system_identifier::text AS "id!" FROM pg_control_system();
