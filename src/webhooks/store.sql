-- name: lockOwner :one
-- Locks the row of a user, so that two requests at once don't exceed a limit of the user.
SELECT id FROM users WHERE id = :id AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: findEndpoints :page
-- The endpoints of a user. In SQL so that all reads of endpoints have the same row.
SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = :owner_id AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findEndpoint :one
SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = :owner_id AND id = :id;

-- name: findEndpointToTell :one
-- An endpoint of a user who is not deleted. Without its user, because a job must not have the id of one.
SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because,
  failing_since, failures, created_at
FROM webhook_endpoints WHERE id = :id AND EXISTS (SELECT FROM users WHERE users.id = owner_id AND deleted_at IS NULL);

-- name: lockEndpoint :one
-- Finds an endpoint, and locks it until the transaction ends.
SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = :owner_id AND id = :id FOR NO KEY UPDATE;

-- name: findDeliveries, findDeliveriesOfStatus :page
-- The deliveries to an endpoint, newest first. None of one that was deleted, whose deliveries a job may still be removing.
SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries
WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id[[ AND status = :status]]
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = :endpoint_id) AND (created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findDelivery :one
SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND id = :id
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = :endpoint_id);

-- name: insertDelivery :one!
-- Writes a test event for one endpoint.
INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, expires_at)
VALUES (:id, :owner_id, :endpoint_id, :event, :data::text::jsonb, now(), now(), now() + interval '1 day')
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at;

-- name: attemptAgain :one
-- Makes a delivery due now, with another day for its attempts. One that is due already stays as it is.
UPDATE webhook_deliveries SET status = 'pending', attempts = CASE WHEN next_attempt_at <= :at::timestamptz THEN attempts ELSE 0 END,
  next_attempt_at = least(next_attempt_at, :at), expires_at = now() + interval '1 day'
WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND id = :id
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at;

-- name: findDueEndpoints :many
SELECT id AS "id!", owner_id, is_slow AS "is_slow!", due_seconds FROM due_endpoints(:after, :most);

-- name: findDueDeliveries :many
-- The deliveries to an endpoint whose attempt is due, the longest-waiting first.
SELECT id, owner_id, endpoint_id, event, data, attempts, created_at, expires_at FROM webhook_deliveries
WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND next_attempt_at <= now() ORDER BY next_attempt_at, id LIMIT :most;

-- name: recordAttempt :execrows
-- Records how an attempt ended. Does nothing if another attempt was recorded meanwhile.
UPDATE webhook_deliveries SET status = :status, attempts = attempts + 1, attempted_at = now(),
  next_attempt_at = now() + make_interval(secs => :retry_seconds?::float8), response_status = :response_status?,
  response_body = :response_body?, failure = :failure?
WHERE owner_id = :owner_id AND id = :id AND status = 'pending' AND attempts = :attempts;

-- name: giveUp :execrows
-- Ends some deliveries that wait for an attempt: all to an endpoint that is disabled, or those whose time is over. It looks at those that
-- wait the longest, and not for expired ones among all, so that it doesn't read a million in each turn of an endpoint that has fallen behind.
UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, failure = :failure
WHERE owner_id = :owner_id AND id = ANY (ARRAY(
  SELECT id FROM (
    SELECT id, expires_at FROM webhook_deliveries WHERE owner_id = :owner_id AND endpoint_id = :endpoint_id AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at LIMIT :batch) AS oldest
  WHERE expires_at <= now() OR NOT :only_expired))
  -- Once more, because a request may have made it due again meanwhile.
  AND next_attempt_at IS NOT NULL AND (expires_at <= now() OR NOT :only_expired);

-- name: markSuccess :execrows
UPDATE webhook_endpoints SET failing_since = NULL, failures = 0, resume_at = NULL
WHERE id = :id AND (failing_since IS NOT NULL OR failures > 0);

-- name: markFailure :one
-- Counts a failed attempt. After one without a response, nothing is sent to the endpoint before `resume_at`. The times are parameters, because
-- a statement of a cluster calls no clock in CASE or COALESCE.
UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, :at::timestamptz),
  failures = failures + CASE WHEN :has_response THEN 0 ELSE 1 END,
  resume_at = CASE WHEN :has_response THEN resume_at ELSE :resume_at::timestamptz END
WHERE id = :id AND disabled_because IS NULL RETURNING failing_since;

-- name: takeLease :execrows
-- Lets no other turn of an endpoint begin.
UPDATE webhook_endpoints SET leased_until = now() + make_interval(secs => :seconds) WHERE id = :id;

-- name: endLease :execrows
UPDATE webhook_endpoints SET leased_until = NULL WHERE id = :id;

-- name: markSlow :execrows
UPDATE webhook_endpoints SET is_slow = :is_slow WHERE id = :id AND is_slow <> :is_slow;

-- name: disableEndpoint :one
-- Disables an endpoint that fails, and notifies its owner. No row if it is disabled already, or was deleted.
WITH disabled AS (
  UPDATE webhook_endpoints SET disabled_because = :reason WHERE id = :id AND disabled_because IS NULL RETURNING id, owner_id)
SELECT id FROM disabled, notify_users(ARRAY[owner_id], 'webhook_endpoint.disabled', 'A webhook endpoint of yours was disabled', :body, NULL,
  disabled.id::text, 'webhook_endpoint', disabled.id::text, '/webhook-endpoints/' || disabled.id);

-- name: removeDeliveries :execrows
-- Removes some of the deliveries to an endpoint. Ordered, so that no plan goes through the table again for each batch.
DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE endpoint_id = :id ORDER BY created_at, id LIMIT :batch);

-- name: purgeDeliveries :execrows
-- Removes some of the deliveries that are no longer kept.
DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => :days_kept::int) ORDER BY created_at LIMIT :batch);
