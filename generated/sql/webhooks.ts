// Generated: do not edit, run `npm run generate`. From src/webhooks/store.sql.

import { page } from "../../src/database/keyset.ts";
import { affectedRows, exactlyOne, many, one } from "../../src/database/statement.ts";

export type LockOwnerParameters = {
  readonly id: string;
};
export type LockOwnerRow = {
  readonly id: string;
};
/** Locks the row of a user, so that two requests at once don't exceed a limit of the user. */
export const lockOwner = one<LockOwnerParameters, LockOwnerRow>({
  name: "lock_owner",
  text: `SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
  values: (it) => [it.id],
  row: (it) => ({ id: it[0] }) as LockOwnerRow,
});

export type FindEndpointsParameters = {
  readonly ownerId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindEndpointsRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: string | null;
  readonly disabledBecause: string | null;
  readonly failingSince: string | null;
  readonly failures: number;
  readonly createdAt: string;
};
/** The endpoints of a user. In SQL so that all reads of endpoints have the same row. */
export const findEndpoints = page<FindEndpointsParameters, FindEndpointsRow>({
  name: "find_endpoints",
  text: {
    asc: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT $4`,
    desc: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT $4`,
  },
  limit: 4,
  values: (it) => [it.ownerId, it.createdAt, it.id, it.limit],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], createdAt: it[12] }) as FindEndpointsRow,
});

export type FindEndpointParameters = {
  readonly ownerId: string;
  readonly id: string;
};
export type FindEndpointRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: string | null;
  readonly disabledBecause: string | null;
  readonly failingSince: string | null;
  readonly failures: number;
  readonly createdAt: string;
};
export const findEndpoint = one<FindEndpointParameters, FindEndpointRow>({
  name: "find_endpoint",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND id = $2`,
  values: (it) => [it.ownerId, it.id],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], createdAt: it[12] }) as FindEndpointRow,
});

export type FindEndpointToTellParameters = {
  readonly id: string;
};
export type FindEndpointToTellRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: string | null;
  readonly disabledBecause: string | null;
  readonly failingSince: string | null;
  readonly failures: number;
  readonly createdAt: string;
};
/** An endpoint of a user who is not deleted. Without its user, because a job must not have the id of one. */
export const findEndpointToTell = one<FindEndpointToTellParameters, FindEndpointToTellRow>({
  name: "find_endpoint_to_tell",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because,
  failing_since, failures, created_at
FROM webhook_endpoints WHERE id = $1 AND EXISTS (SELECT FROM users WHERE users.id = owner_id AND deleted_at IS NULL)`,
  values: (it) => [it.id],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], createdAt: it[12] }) as FindEndpointToTellRow,
});

export type LockEndpointParameters = {
  readonly ownerId: string;
  readonly id: string;
};
export type LockEndpointRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: string | null;
  readonly disabledBecause: string | null;
  readonly failingSince: string | null;
  readonly failures: number;
  readonly createdAt: string;
};
/** Finds an endpoint, and locks it until the transaction ends. */
export const lockEndpoint = one<LockEndpointParameters, LockEndpointRow>({
  name: "lock_endpoint",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until, disabled_because, failing_since,
  failures, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE`,
  values: (it) => [it.ownerId, it.id],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], createdAt: it[12] }) as LockEndpointRow,
});

export type FindDeliveriesParameters = {
  readonly ownerId: string;
  readonly endpointId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindDeliveriesRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
};
/** The deliveries to an endpoint, newest first. None of one that was deleted, whose deliveries a job may still be removing. */
export const findDeliveries = page<FindDeliveriesParameters, FindDeliveriesRow>({
  name: "find_deliveries",
  text: {
    asc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries
WHERE owner_id = $1 AND endpoint_id = $2
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $2) AND (created_at, id) > ($3, $4)
ORDER BY created_at ASC, id ASC LIMIT $5`,
    desc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries
WHERE owner_id = $1 AND endpoint_id = $2
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $2) AND (created_at, id) < ($3, $4)
ORDER BY created_at DESC, id DESC LIMIT $5`,
  },
  limit: 5,
  values: (it) => [it.ownerId, it.endpointId, it.createdAt, it.id, it.limit],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], attemptedAt: it[7], responseStatus: it[8], responseBody: it[9], failure: it[10], createdAt: it[11] }) as FindDeliveriesRow,
});

export type FindDeliveriesOfStatusParameters = {
  readonly ownerId: string;
  readonly endpointId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindDeliveriesOfStatusRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
};
/** The deliveries to an endpoint, newest first. None of one that was deleted, whose deliveries a job may still be removing. */
export const findDeliveriesOfStatus = page<FindDeliveriesOfStatusParameters, FindDeliveriesOfStatusRow>({
  name: "find_deliveries_of_status",
  text: {
    asc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries
WHERE owner_id = $1 AND endpoint_id = $2 AND status = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $2) AND (created_at, id) > ($4, $5)
ORDER BY created_at ASC, id ASC LIMIT $6`,
    desc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries
WHERE owner_id = $1 AND endpoint_id = $2 AND status = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $2) AND (created_at, id) < ($4, $5)
ORDER BY created_at DESC, id DESC LIMIT $6`,
  },
  limit: 6,
  values: (it) => [it.ownerId, it.endpointId, it.status, it.createdAt, it.id, it.limit],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], attemptedAt: it[7], responseStatus: it[8], responseBody: it[9], failure: it[10], createdAt: it[11] }) as FindDeliveriesOfStatusRow,
});

export type FindDeliveryParameters = {
  readonly ownerId: string;
  readonly endpointId: string;
  readonly id: string;
};
export type FindDeliveryRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
};
export const findDelivery = one<FindDeliveryParameters, FindDeliveryRow>({
  name: "find_delivery",
  text: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at
FROM webhook_deliveries WHERE owner_id = $1 AND endpoint_id = $2 AND id = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $2)`,
  values: (it) => [it.ownerId, it.endpointId, it.id],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], attemptedAt: it[7], responseStatus: it[8], responseBody: it[9], failure: it[10], createdAt: it[11] }) as FindDeliveryRow,
});

export type InsertDeliveryParameters = {
  readonly id: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: string;
};
export type InsertDeliveryRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
};
/** Writes a test event for one endpoint. */
export const insertDelivery = exactlyOne<InsertDeliveryParameters, InsertDeliveryRow>({
  name: "insert_delivery",
  text: `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, expires_at)
VALUES ($1, $2, $3, $4, $5::text::jsonb, now(), now(), now() + interval '1 day')
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at`,
  values: (it) => [it.id, it.ownerId, it.endpointId, it.event, it.data],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], attemptedAt: it[7], responseStatus: it[8], responseBody: it[9], failure: it[10], createdAt: it[11] }) as InsertDeliveryRow,
});

export type AttemptAgainParameters = {
  readonly at: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly id: string;
};
export type AttemptAgainRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
};
/** Makes a delivery due now, with another day for its attempts. One that is due already stays as it is. */
export const attemptAgain = one<AttemptAgainParameters, AttemptAgainRow>({
  name: "attempt_again",
  text: `UPDATE webhook_deliveries SET status = 'pending', attempts = CASE WHEN next_attempt_at <= $1::timestamptz THEN attempts ELSE 0 END,
  next_attempt_at = least(next_attempt_at, $1), expires_at = now() + interval '1 day'
WHERE owner_id = $2 AND endpoint_id = $3 AND id = $4
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, attempted_at, response_status, response_body, failure, created_at`,
  values: (it) => [it.at, it.ownerId, it.endpointId, it.id],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], attemptedAt: it[7], responseStatus: it[8], responseBody: it[9], failure: it[10], createdAt: it[11] }) as AttemptAgainRow,
});

export type FindDueEndpointsParameters = {
  readonly after: string;
  readonly most: number;
};
export type FindDueEndpointsRow = {
  readonly id: string;
  readonly ownerId: string | null;
  readonly isSlow: boolean;
  readonly dueSeconds: number | null;
};
export const findDueEndpoints = many<FindDueEndpointsParameters, FindDueEndpointsRow>({
  name: "find_due_endpoints",
  text: `SELECT id AS "id!", owner_id, is_slow AS "is_slow!", due_seconds FROM due_endpoints($1, $2)`,
  values: (it) => [it.after, it.most],
  row: (it) => ({ id: it[0], ownerId: it[1], isSlow: it[2], dueSeconds: it[3] }) as FindDueEndpointsRow,
});

export type FindDueDeliveriesParameters = {
  readonly ownerId: string;
  readonly endpointId: string;
  readonly most: number;
};
export type FindDueDeliveriesRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly attempts: number;
  readonly createdAt: string;
  readonly expiresAt: string;
};
/** The deliveries to an endpoint whose attempt is due, the longest-waiting first. */
export const findDueDeliveries = many<FindDueDeliveriesParameters, FindDueDeliveriesRow>({
  name: "find_due_deliveries",
  text: `SELECT id, owner_id, endpoint_id, event, data, attempts, created_at, expires_at FROM webhook_deliveries
WHERE owner_id = $1 AND endpoint_id = $2 AND next_attempt_at <= now() ORDER BY next_attempt_at, id LIMIT $3`,
  values: (it) => [it.ownerId, it.endpointId, it.most],
  row: (it) => ({ id: it[0], ownerId: it[1], endpointId: it[2], event: it[3], data: it[4], attempts: it[5], createdAt: it[6], expiresAt: it[7] }) as FindDueDeliveriesRow,
});

export type RecordAttemptParameters = {
  readonly status: string;
  readonly retrySeconds: number | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly ownerId: string;
  readonly id: string;
  readonly attempts: number;
};
/** Records how an attempt ended. Does nothing if another attempt was recorded meanwhile. */
export const recordAttempt = affectedRows<RecordAttemptParameters>({
  name: "record_attempt",
  text: `UPDATE webhook_deliveries SET status = $1, attempts = attempts + 1, attempted_at = now(),
  next_attempt_at = now() + make_interval(secs => $2::float8), response_status = $3,
  response_body = $4, failure = $5
WHERE owner_id = $6 AND id = $7 AND status = 'pending' AND attempts = $8`,
  values: (it) => [it.status, it.retrySeconds, it.responseStatus, it.responseBody, it.failure, it.ownerId, it.id, it.attempts],
});

export type GiveUpParameters = {
  readonly failure: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly batch: number;
  readonly onlyExpired: boolean;
};
/** Ends some deliveries that wait for an attempt: all to an endpoint that is disabled, or those whose time is over. It looks at those that
 * wait the longest, and not for expired ones among all, so that it doesn't read a million in each turn of an endpoint that has fallen behind. */
export const giveUp = affectedRows<GiveUpParameters>({
  name: "give_up",
  text: `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, failure = $1
WHERE owner_id = $2 AND id = ANY (ARRAY(
  SELECT id FROM (
    SELECT id, expires_at FROM webhook_deliveries WHERE owner_id = $2 AND endpoint_id = $3 AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at LIMIT $4) AS oldest
  WHERE expires_at <= now() OR NOT $5))
    AND next_attempt_at IS NOT NULL AND (expires_at <= now() OR NOT $5)`,
  values: (it) => [it.failure, it.ownerId, it.endpointId, it.batch, it.onlyExpired],
});

export type MarkSuccessParameters = {
  readonly id: string;
};
export const markSuccess = affectedRows<MarkSuccessParameters>({
  name: "mark_success",
  text: `UPDATE webhook_endpoints SET failing_since = NULL, failures = 0, resume_at = NULL
WHERE id = $1 AND (failing_since IS NOT NULL OR failures > 0)`,
  values: (it) => [it.id],
});

export type MarkFailureParameters = {
  readonly at: string;
  readonly hasResponse: boolean;
  readonly resumeAt: string;
  readonly id: string;
};
export type MarkFailureRow = {
  readonly failingSince: string | null;
};
/** Counts a failed attempt. After one without a response, nothing is sent to the endpoint before `resume_at`. The times are parameters, because
 * a statement of a cluster calls no clock in CASE or COALESCE. */
export const markFailure = one<MarkFailureParameters, MarkFailureRow>({
  name: "mark_failure",
  text: `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, $1::timestamptz),
  failures = failures + CASE WHEN $2 THEN 0 ELSE 1 END,
  resume_at = CASE WHEN $2 THEN resume_at ELSE $3::timestamptz END
WHERE id = $4 AND disabled_because IS NULL RETURNING failing_since`,
  values: (it) => [it.at, it.hasResponse, it.resumeAt, it.id],
  row: (it) => ({ failingSince: it[0] }) as MarkFailureRow,
});

export type TakeLeaseParameters = {
  readonly seconds: number;
  readonly id: string;
};
/** Lets no other turn of an endpoint begin. */
export const takeLease = affectedRows<TakeLeaseParameters>({
  name: "take_lease",
  text: `UPDATE webhook_endpoints SET leased_until = now() + make_interval(secs => $1) WHERE id = $2`,
  values: (it) => [it.seconds, it.id],
});

export type EndLeaseParameters = {
  readonly id: string;
};
export const endLease = affectedRows<EndLeaseParameters>({
  name: "end_lease",
  text: `UPDATE webhook_endpoints SET leased_until = NULL WHERE id = $1`,
  values: (it) => [it.id],
});

export type MarkSlowParameters = {
  readonly isSlow: boolean;
  readonly id: string;
};
export const markSlow = affectedRows<MarkSlowParameters>({
  name: "mark_slow",
  text: `UPDATE webhook_endpoints SET is_slow = $1 WHERE id = $2 AND is_slow <> $1`,
  values: (it) => [it.isSlow, it.id],
});

export type DisableEndpointParameters = {
  readonly reason: string;
  readonly id: string;
  readonly body: string;
};
export type DisableEndpointRow = {
  readonly id: string;
};
/** Disables an endpoint that fails, and notifies its owner. No row if it is disabled already, or was deleted. */
export const disableEndpoint = one<DisableEndpointParameters, DisableEndpointRow>({
  name: "disable_endpoint",
  text: `WITH disabled AS (
  UPDATE webhook_endpoints SET disabled_because = $1 WHERE id = $2 AND disabled_because IS NULL RETURNING id, owner_id)
SELECT id FROM disabled, notify_users(ARRAY[owner_id], 'webhook_endpoint.disabled', 'A webhook endpoint of yours was disabled', $3, NULL,
  disabled.id::text, 'webhook_endpoint', disabled.id::text, '/webhook-endpoints/' || disabled.id)`,
  values: (it) => [it.reason, it.id, it.body],
  row: (it) => ({ id: it[0] }) as DisableEndpointRow,
});

export type RemoveDeliveriesParameters = {
  readonly id: string;
  readonly batch: number;
};
/** Removes some of the deliveries to an endpoint. Ordered, so that no plan goes through the table again for each batch. */
export const removeDeliveries = affectedRows<RemoveDeliveriesParameters>({
  name: "remove_deliveries",
  text: `DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY created_at, id LIMIT $2)`,
  values: (it) => [it.id, it.batch],
});

export type PurgeDeliveriesParameters = {
  readonly daysKept: number;
  readonly batch: number;
};
/** Removes some of the deliveries that are no longer kept. */
export const purgeDeliveries = affectedRows<PurgeDeliveriesParameters>({
  name: "purge_deliveries",
  text: `DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => $1::int) ORDER BY created_at LIMIT $2)`,
  values: (it) => [it.daysKept, it.batch],
});
