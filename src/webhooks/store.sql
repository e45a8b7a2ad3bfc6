-- name: lockOwner :one
-- Locks the row of a user, so that two requests at once don't exceed a limit of the user.
SELECT id FROM users WHERE id = :id AND deleted_at IS NULL FOR NO KEY UPDATE;

-- part: endpoint
id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at

-- part: delivery
id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at

-- name: findEndpoints :page
-- The endpoints of a user. In SQL so that all reads of endpoints have the same row.
SELECT {{endpoint}}
FROM webhook_endpoints WHERE owner_id = :owner_id AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findEndpoint, lockEndpoint :one
-- An endpoint of a user. The second statement locks it until the transaction ends.
SELECT {{endpoint}}
FROM webhook_endpoints WHERE owner_id = :owner_id AND id = :id[[ FOR NO KEY UPDATE]];

-- name: findEndpointToSend :one
-- An endpoint of a user who is not deleted.
SELECT {{endpoint}}
FROM webhook_endpoints WHERE id = :id AND EXISTS (SELECT FROM users WHERE users.id = owner_id AND deleted_at IS NULL);

-- name: findDeliveries, findDeliveriesOfStatus :page
-- The deliveries to an endpoint, newest first. An endpoint that was deleted has none, although a job may still be removing them.
SELECT {{delivery}}, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = :endpoint_id AND failures > 0) AS resume_at
FROM webhook_deliveries
WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id[[ AND status = :status]]
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = :endpoint_id) AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findDelivery :one
SELECT {{delivery}}, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = :endpoint_id AND failures > 0) AS resume_at
FROM webhook_deliveries WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND id = :id
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = :endpoint_id);

-- name: insertDelivery :one!
-- Writes a test event for one endpoint. It is sent although the endpoint is paused.
INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, ignores_pause, expires_at)
VALUES (:id, :owner_id, :endpoint_id, :event, :data::text::jsonb, now(), now(), true, now() + interval '1 day')
RETURNING {{delivery}}, NULL::timestamptz AS resume_at;

-- name: redeliver :one
-- Makes a delivery ready now, even if its endpoint is paused, and gives it another day. One that is ready stays as it is.
UPDATE webhook_deliveries SET status = 'pending', attempts = CASE WHEN next_attempt_at <= :at::timestamptz THEN attempts ELSE 0 END,
  next_attempt_at = least(next_attempt_at, :at), delayed_until = NULL, ignores_pause = true, expires_at = now() + interval '1 day'
WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND id = :id
RETURNING {{delivery}}, NULL::timestamptz AS resume_at;

-- name: promoteDeliveries :execrows
-- Makes some deliveries ready whose delay is over, the earliest first.
UPDATE webhook_deliveries SET next_attempt_at = CASE WHEN status = 'pending' THEN delayed_until END, delayed_until = NULL
WHERE (owner_id, id) IN (SELECT owner_id, id FROM webhook_deliveries WHERE delayed_until <= now() ORDER BY delayed_until LIMIT :batch)
  -- Once more, because another worker may have changed the row during a wait.
  AND delayed_until <= now();

-- name: findReadyEndpoints :many
SELECT id AS "id!", owner_id AS "owner_id!", url, is_disabled AS "is_disabled!", paused_until, may_send AS "may_send!", ready_seconds AS "ready_seconds!"
FROM ready_endpoints(:after, :most);

-- name: delayPaused :one!
SELECT delay_paused(:endpoints::uuid[], :owners::uuid[], :untils::timestamptz[], :most::int) AS "count!";

-- name: endPause :execrows
-- Makes some deliveries ready that the pause of an endpoint until `resume_at` has delayed.
UPDATE webhook_deliveries SET next_attempt_at = now(), delayed_until = NULL
WHERE owner_id = :owner_id AND status = 'pending' AND delayed_until = :resume_at::timestamptz AND id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries
  WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND status = 'pending' AND delayed_until = :resume_at LIMIT :batch));

-- name: claimDelivery :one
-- Claims the delivery to an endpoint that has been ready the longest: it is delayed for the lease, so that no other worker attempts it.
UPDATE webhook_deliveries SET next_attempt_at = NULL, delayed_until = now() + make_interval(secs => :lease_seconds)
WHERE owner_id = :owner_id AND id = (
  SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
  WHERE d.owner_id = :owner_id AND d.endpoint_id = :endpoint_id AND d.next_attempt_at <= now() AND e.disabled_because IS NULL
    AND (d.ignores_pause OR e.failures = 0 OR e.resume_at IS NULL OR e.resume_at <= now())
  ORDER BY d.next_attempt_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
RETURNING id, owner_id, endpoint_id, event, data, attempts, created_at, expires_at;

-- name: releaseClaim :execrows
-- Returns a claimed delivery without an attempt: it becomes ready, or is delayed.
UPDATE webhook_deliveries SET next_attempt_at = :ready_at?::timestamptz, delayed_until = :delayed_until?::timestamptz
WHERE owner_id = :owner_id AND id = :id AND status = 'pending' AND attempts = :attempts AND next_attempt_at IS NULL;

-- name: recordAttempt :execrows
-- Records the result of an attempt. Does nothing if another attempt was recorded, or if the endpoint is deleted: a worker then removes the
-- row.
UPDATE webhook_deliveries SET status = :status, attempts = attempts + 1, attempted_at = now(), next_attempt_at = NULL,
  delayed_until = now() + make_interval(secs => :retry_seconds?::float8), ignores_pause = false, response_status = :response_status?,
  response_body = :response_body?, failure = :failure?
WHERE owner_id = :owner_id AND id = :id AND status = 'pending' AND attempts = :attempts
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id);

-- name: expireDeliveries :execrows
-- Ends some pending deliveries, oldest first: all to a disabled endpoint, or only expired ones. It reads one batch of the oldest, because a
-- search for expired ones could read a million of them.
UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, delayed_until = NULL, failure = :failure
WHERE owner_id = :owner_id AND id = ANY (ARRAY(
  SELECT id FROM (
    -- By the endpoint alone: with its owner, the planner would use the primary key, and sort all pending deliveries.
    SELECT id, expires_at FROM webhook_deliveries WHERE endpoint_id = :endpoint_id AND status = 'pending'
    ORDER BY created_at, id LIMIT :batch) AS oldest
  WHERE expires_at <= now() OR NOT :only_expired))
  -- Once more, because a request may have made it ready again during a wait.
  AND status = 'pending' AND (expires_at <= now() OR NOT :only_expired);

-- name: dropOldest :execrows
-- Ends some of the pending deliveries to an endpoint, except the newest `most`.
UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, delayed_until = NULL, failure = :failure
WHERE owner_id = :owner_id AND status = 'pending' AND id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries WHERE endpoint_id = :endpoint_id AND status = 'pending'
  ORDER BY created_at DESC, id DESC OFFSET :most LIMIT :batch));

-- name: markSuccess :execrows
UPDATE webhook_endpoints SET failing_since = NULL, failures = 0 WHERE id = :id;

-- name: markFailure :one
-- Counts a failed attempt, and pauses the endpoint until `resume_at`, if it is not null. Does nothing if `failures` has changed, so that
-- attempts at the same time count once. The times are parameters, because on a cluster CASE and COALESCE can't call a clock.
UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, :at::timestamptz), failures = failures + 1,
  resume_at = coalesce(:resume_at?::timestamptz, resume_at)
WHERE id = :id AND disabled_because IS NULL AND failures = :failures RETURNING failing_since;

-- name: notifyOfEndpoint :execrows
-- Notifies the owner of an endpoint of a change by a request.
SELECT FROM add_notifications(ARRAY[:owner_id::uuid], :kind, NULL, NULL, :host, NULL, :detail::text::jsonb, :id::text, 'webhook_endpoint', :id,
  '/webhook-endpoints/' || :id);

-- name: disableEndpoint :one
-- Disables an endpoint, and notifies its owner. No row if it is disabled or deleted. An operator can also disable one that something else
-- has disabled, so that its owner can't enable it.
WITH disabled AS (
  UPDATE webhook_endpoints SET disabled_because = :reason
  WHERE id = :id AND (disabled_because IS NULL OR :reason = 'operator' AND disabled_because <> 'operator') RETURNING id, owner_id)
SELECT id FROM disabled, add_notifications(ARRAY[owner_id], 'webhook_endpoint.disabled', NULL, NULL, :host, NULL,
  jsonb_build_object('reason', :reason), disabled.id::text, 'webhook_endpoint', disabled.id::text, '/webhook-endpoints/' || disabled.id);

-- name: removeDeliveries :execrows
-- Removes some of the deliveries to an endpoint. The order keeps a plan from reading the whole table for each batch.
DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE endpoint_id = :id ORDER BY created_at, id LIMIT :batch);

-- name: purgeDeliveries :execrows
-- Removes some of the deliveries that are older than their retention.
DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => :retention_days::int)
  ORDER BY created_at LIMIT :batch);

-- name: removeResponses :execrows
-- Removes some responses of receivers: to test events, if they have the id of a user, and to all other events, because they can quote other
-- users. The order is that of the only index with these rows.
UPDATE webhook_deliveries SET response_body = NULL WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries
  WHERE response_body IS NOT NULL AND (event <> 'webhook_endpoint.tested' OR strpos(response_body, :user_id?::uuid::text) > 0)
  ORDER BY id LIMIT :batch);
