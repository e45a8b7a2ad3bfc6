// Generated: do not edit, run `npm run generate`. From src/webhooks/store.sql.

import { page } from "../../src/pagination/keyset.ts";
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
  columns: ["uuid"],
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
  readonly resumeAt: string | null;
  readonly createdAt: string;
};
/** The endpoints of a user. In SQL so that all reads of endpoints have the same row. */
export const findEndpoints = page<FindEndpointsParameters, FindEndpointsRow>({
  name: "find_endpoints",
  text: {
    asc: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT $4`,
    desc: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT $4`,
  },
  limit: 4,
  values: (it) => [it.ownerId, it.createdAt, it.id, it.limit],
  columns: ["uuid", "uuid", "varchar", "varchar", "_text", "_text", "varchar", "varchar", "timestamptz", "varchar", "timestamptz", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], resumeAt: it[12], createdAt: it[13] }) as FindEndpointsRow,
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
  readonly resumeAt: string | null;
  readonly createdAt: string;
};
/** An endpoint of a user. The second statement locks it until the transaction ends. */
export const findEndpoint = one<FindEndpointParameters, FindEndpointRow>({
  name: "find_endpoint",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND id = $2`,
  values: (it) => [it.ownerId, it.id],
  columns: ["uuid", "uuid", "varchar", "varchar", "_text", "_text", "varchar", "varchar", "timestamptz", "varchar", "timestamptz", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], resumeAt: it[12], createdAt: it[13] }) as FindEndpointRow,
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
  readonly resumeAt: string | null;
  readonly createdAt: string;
};
/** An endpoint of a user. The second statement locks it until the transaction ends. */
export const lockEndpoint = one<LockEndpointParameters, LockEndpointRow>({
  name: "lock_endpoint",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at
FROM webhook_endpoints WHERE owner_id = $1 AND id = $2 FOR NO KEY UPDATE`,
  values: (it) => [it.ownerId, it.id],
  columns: ["uuid", "uuid", "varchar", "varchar", "_text", "_text", "varchar", "varchar", "timestamptz", "varchar", "timestamptz", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], resumeAt: it[12], createdAt: it[13] }) as LockEndpointRow,
});

export type FindEndpointToSendParameters = {
  readonly id: string;
};
export type FindEndpointToSendRow = {
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
  readonly resumeAt: string | null;
  readonly createdAt: string;
};
/** An endpoint of a user who is not deleted. */
export const findEndpointToSend = one<FindEndpointToSendParameters, FindEndpointToSendRow>({
  name: "find_endpoint_to_send",
  text: `SELECT id, owner_id, url, description, events AS "events!", scopes AS "scopes!", secret, previous_secret, previous_secret_until,
  disabled_because, failing_since, failures, resume_at, created_at
FROM webhook_endpoints WHERE id = $1 AND EXISTS (SELECT FROM users WHERE users.id = owner_id AND deleted_at IS NULL)`,
  values: (it) => [it.id],
  columns: ["uuid", "uuid", "varchar", "varchar", "_text", "_text", "varchar", "varchar", "timestamptz", "varchar", "timestamptz", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], description: it[3], events: it[4], scopes: it[5], secret: it[6], previousSecret: it[7], previousSecretUntil: it[8], disabledBecause: it[9], failingSince: it[10], failures: it[11], resumeAt: it[12], createdAt: it[13] }) as FindEndpointToSendRow,
});

export type FindDeliveriesParameters = {
  readonly endpointId: string;
  readonly ownerId: string;
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
  readonly delayedUntil: string | null;
  readonly ignoresPause: boolean;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
  readonly resumeAt: string | null;
};
/** The deliveries to an endpoint, newest first. An endpoint that was deleted has none, although a job may still be removing them. */
export const findDeliveries = page<FindDeliveriesParameters, FindDeliveriesRow>({
  name: "find_deliveries",
  text: {
    asc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = $1 AND failures > 0) AS resume_at
FROM webhook_deliveries
WHERE owner_id = $2 AND endpoint_id = $1
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $1) AND (created_at, id) > ($3, $4)
ORDER BY created_at ASC, id ASC LIMIT $5`,
    desc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = $1 AND failures > 0) AS resume_at
FROM webhook_deliveries
WHERE owner_id = $2 AND endpoint_id = $1
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $1) AND (created_at, id) < ($3, $4)
ORDER BY created_at DESC, id DESC LIMIT $5`,
  },
  limit: 5,
  values: (it) => [it.endpointId, it.ownerId, it.createdAt, it.id, it.limit],
  columns: ["uuid", "uuid", "varchar", "jsonb", "varchar", "int4", "timestamptz", "timestamptz", "bool", "timestamptz", "int4", "varchar", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], delayedUntil: it[7], ignoresPause: it[8], attemptedAt: it[9], responseStatus: it[10], responseBody: it[11], failure: it[12], createdAt: it[13], resumeAt: it[14] }) as FindDeliveriesRow,
});

export type FindDeliveriesOfStatusParameters = {
  readonly endpointId: string;
  readonly ownerId: string;
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
  readonly delayedUntil: string | null;
  readonly ignoresPause: boolean;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
  readonly resumeAt: string | null;
};
/** The deliveries to an endpoint, newest first. An endpoint that was deleted has none, although a job may still be removing them. */
export const findDeliveriesOfStatus = page<FindDeliveriesOfStatusParameters, FindDeliveriesOfStatusRow>({
  name: "find_deliveries_of_status",
  text: {
    asc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = $1 AND failures > 0) AS resume_at
FROM webhook_deliveries
WHERE owner_id = $2 AND endpoint_id = $1 AND status = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $1) AND (created_at, id) > ($4, $5)
ORDER BY created_at ASC, id ASC LIMIT $6`,
    desc: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = $1 AND failures > 0) AS resume_at
FROM webhook_deliveries
WHERE owner_id = $2 AND endpoint_id = $1 AND status = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $1) AND (created_at, id) < ($4, $5)
ORDER BY created_at DESC, id DESC LIMIT $6`,
  },
  limit: 6,
  values: (it) => [it.endpointId, it.ownerId, it.status, it.createdAt, it.id, it.limit],
  columns: ["uuid", "uuid", "varchar", "jsonb", "varchar", "int4", "timestamptz", "timestamptz", "bool", "timestamptz", "int4", "varchar", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], delayedUntil: it[7], ignoresPause: it[8], attemptedAt: it[9], responseStatus: it[10], responseBody: it[11], failure: it[12], createdAt: it[13], resumeAt: it[14] }) as FindDeliveriesOfStatusRow,
});

export type FindDeliveryParameters = {
  readonly endpointId: string;
  readonly ownerId: string;
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
  readonly delayedUntil: string | null;
  readonly ignoresPause: boolean;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
  readonly resumeAt: string | null;
};
export const findDelivery = one<FindDeliveryParameters, FindDeliveryRow>({
  name: "find_delivery",
  text: `SELECT id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, (SELECT resume_at FROM webhook_endpoints e WHERE e.id = $1 AND failures > 0) AS resume_at
FROM webhook_deliveries WHERE owner_id = $2 AND endpoint_id = $1 AND id = $3
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = $1)`,
  values: (it) => [it.endpointId, it.ownerId, it.id],
  columns: ["uuid", "uuid", "varchar", "jsonb", "varchar", "int4", "timestamptz", "timestamptz", "bool", "timestamptz", "int4", "varchar", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], delayedUntil: it[7], ignoresPause: it[8], attemptedAt: it[9], responseStatus: it[10], responseBody: it[11], failure: it[12], createdAt: it[13], resumeAt: it[14] }) as FindDeliveryRow,
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
  readonly delayedUntil: string | null;
  readonly ignoresPause: boolean;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
  readonly resumeAt: string | null;
};
/** Writes a test event for one endpoint. It is sent although the endpoint is paused. */
export const insertDelivery = exactlyOne<InsertDeliveryParameters, InsertDeliveryRow>({
  name: "insert_delivery",
  text: `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, ignores_pause, expires_at)
VALUES ($1, $2, $3, $4, $5::text::jsonb, now(), now(), true, now() + interval '1 day')
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, NULL::timestamptz AS resume_at`,
  values: (it) => [it.id, it.ownerId, it.endpointId, it.event, it.data],
  columns: ["uuid", "uuid", "varchar", "jsonb", "varchar", "int4", "timestamptz", "timestamptz", "bool", "timestamptz", "int4", "varchar", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], delayedUntil: it[7], ignoresPause: it[8], attemptedAt: it[9], responseStatus: it[10], responseBody: it[11], failure: it[12], createdAt: it[13], resumeAt: it[14] }) as InsertDeliveryRow,
});

export type RedeliverParameters = {
  readonly at: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly id: string;
};
export type RedeliverRow = {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly delayedUntil: string | null;
  readonly ignoresPause: boolean;
  readonly attemptedAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly failure: string | null;
  readonly createdAt: string;
  readonly resumeAt: string | null;
};
/** Makes a delivery ready now, even if its endpoint is paused, and gives it another day. One that is ready stays as it is. */
export const redeliver = one<RedeliverParameters, RedeliverRow>({
  name: "redeliver",
  text: `UPDATE webhook_deliveries SET status = 'pending', attempts = CASE WHEN next_attempt_at <= $1::timestamptz THEN attempts ELSE 0 END,
  next_attempt_at = least(next_attempt_at, $1), delayed_until = NULL, ignores_pause = true, expires_at = now() + interval '1 day'
WHERE owner_id = $2 AND endpoint_id = $3 AND id = $4
RETURNING id, endpoint_id, event, data, status, attempts, next_attempt_at, delayed_until, ignores_pause, attempted_at, response_status,
  response_body, failure, created_at, NULL::timestamptz AS resume_at`,
  values: (it) => [it.at, it.ownerId, it.endpointId, it.id],
  columns: ["uuid", "uuid", "varchar", "jsonb", "varchar", "int4", "timestamptz", "timestamptz", "bool", "timestamptz", "int4", "varchar", "varchar", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], endpointId: it[1], event: it[2], data: it[3], status: it[4], attempts: it[5], nextAttemptAt: it[6], delayedUntil: it[7], ignoresPause: it[8], attemptedAt: it[9], responseStatus: it[10], responseBody: it[11], failure: it[12], createdAt: it[13], resumeAt: it[14] }) as RedeliverRow,
});

export type PromoteDeliveriesParameters = {
  readonly batch: number;
};
/** Makes some deliveries ready whose delay is over, the earliest first. */
export const promoteDeliveries = affectedRows<PromoteDeliveriesParameters>({
  name: "promote_deliveries",
  text: `UPDATE webhook_deliveries SET next_attempt_at = CASE WHEN status = 'pending' THEN delayed_until END, delayed_until = NULL
WHERE (owner_id, id) IN (SELECT owner_id, id FROM webhook_deliveries WHERE delayed_until <= now() ORDER BY delayed_until LIMIT $1)
    AND delayed_until <= now()`,
  values: (it) => [it.batch],
});

export type FindReadyEndpointsParameters = {
  readonly after: string;
  readonly most: number;
};
export type FindReadyEndpointsRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly url: string | null;
  readonly isDisabled: boolean;
  readonly pausedUntil: string | null;
  readonly maySend: boolean;
  readonly readySeconds: number;
};
export const findReadyEndpoints = many<FindReadyEndpointsParameters, FindReadyEndpointsRow>({
  name: "find_ready_endpoints",
  text: `SELECT id AS "id!", owner_id AS "owner_id!", url, is_disabled AS "is_disabled!", paused_until, may_send AS "may_send!", ready_seconds AS "ready_seconds!"
FROM ready_endpoints($1, $2)`,
  values: (it) => [it.after, it.most],
  columns: ["uuid", "uuid", "text", "bool", "timestamptz", "bool", "float8"],
  row: (it) => ({ id: it[0], ownerId: it[1], url: it[2], isDisabled: it[3], pausedUntil: it[4], maySend: it[5], readySeconds: it[6] }) as FindReadyEndpointsRow,
});

export type DelayPausedParameters = {
  readonly endpoints: readonly string[];
  readonly owners: readonly string[];
  readonly untils: readonly string[];
  readonly most: number;
};
export type DelayPausedRow = {
  readonly count: number;
};
export const delayPaused = exactlyOne<DelayPausedParameters, DelayPausedRow>({
  name: "delay_paused",
  text: `SELECT delay_paused($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int) AS "count!"`,
  values: (it) => [it.endpoints, it.owners, it.untils, it.most],
  columns: ["int4"],
  row: (it) => ({ count: it[0] }) as DelayPausedRow,
});

export type EndPauseParameters = {
  readonly ownerId: string;
  readonly resumeAt: string;
  readonly endpointId: string;
  readonly batch: number;
};
/** Makes some deliveries ready that the pause of an endpoint until `resume_at` has delayed. */
export const endPause = affectedRows<EndPauseParameters>({
  name: "end_pause",
  text: `UPDATE webhook_deliveries SET next_attempt_at = now(), delayed_until = NULL
WHERE owner_id = $1 AND status = 'pending' AND delayed_until = $2::timestamptz AND id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries
  WHERE owner_id = $1 AND endpoint_id = $3 AND status = 'pending' AND delayed_until = $2 LIMIT $4))`,
  values: (it) => [it.ownerId, it.resumeAt, it.endpointId, it.batch],
});

export type ClaimDeliveryParameters = {
  readonly leaseSeconds: number;
  readonly ownerId: string;
  readonly endpointId: string;
};
export type ClaimDeliveryRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly event: string;
  readonly data: unknown;
  readonly attempts: number;
  readonly createdAt: string;
  readonly expiresAt: string;
};
/** Claims the delivery to an endpoint that has been ready the longest: it is delayed for the lease, so that no other worker attempts it. */
export const claimDelivery = one<ClaimDeliveryParameters, ClaimDeliveryRow>({
  name: "claim_delivery",
  text: `UPDATE webhook_deliveries SET next_attempt_at = NULL, delayed_until = now() + make_interval(secs => $1)
WHERE owner_id = $2 AND id = (
  SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
  WHERE d.owner_id = $2 AND d.endpoint_id = $3 AND d.next_attempt_at <= now() AND e.disabled_because IS NULL
    AND (d.ignores_pause OR e.failures = 0 OR e.resume_at IS NULL OR e.resume_at <= now())
  ORDER BY d.next_attempt_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
RETURNING id, owner_id, endpoint_id, event, data, attempts, created_at, expires_at`,
  values: (it) => [it.leaseSeconds, it.ownerId, it.endpointId],
  columns: ["uuid", "uuid", "uuid", "varchar", "jsonb", "int4", "timestamptz", "timestamptz"],
  row: (it) => ({ id: it[0], ownerId: it[1], endpointId: it[2], event: it[3], data: it[4], attempts: it[5], createdAt: it[6], expiresAt: it[7] }) as ClaimDeliveryRow,
});

export type ReleaseClaimParameters = {
  readonly readyAt: string | null;
  readonly delayedUntil: string | null;
  readonly ownerId: string;
  readonly id: string;
  readonly attempts: number;
};
/** Returns a claimed delivery without an attempt: it becomes ready, or is delayed. */
export const releaseClaim = affectedRows<ReleaseClaimParameters>({
  name: "release_claim",
  text: `UPDATE webhook_deliveries SET next_attempt_at = $1::timestamptz, delayed_until = $2::timestamptz
WHERE owner_id = $3 AND id = $4 AND status = 'pending' AND attempts = $5 AND next_attempt_at IS NULL`,
  values: (it) => [it.readyAt, it.delayedUntil, it.ownerId, it.id, it.attempts],
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
/** Records the result of an attempt. Does nothing if another attempt was recorded, or if the endpoint is deleted: a worker then removes the
 * row. */
export const recordAttempt = affectedRows<RecordAttemptParameters>({
  name: "record_attempt",
  text: `UPDATE webhook_deliveries SET status = $1, attempts = attempts + 1, attempted_at = now(), next_attempt_at = NULL,
  delayed_until = now() + make_interval(secs => $2::float8), ignores_pause = false, response_status = $3,
  response_body = $4, failure = $5
WHERE owner_id = $6 AND id = $7 AND status = 'pending' AND attempts = $8
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id)`,
  values: (it) => [it.status, it.retrySeconds, it.responseStatus, it.responseBody, it.failure, it.ownerId, it.id, it.attempts],
});

export type ExpireDeliveriesParameters = {
  readonly failure: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly batch: number;
  readonly onlyExpired: boolean;
};
/** Ends some pending deliveries, oldest first: all to a disabled endpoint, or only expired ones. It reads one batch of the oldest, because a
 * search for expired ones could read a million of them. */
export const expireDeliveries = affectedRows<ExpireDeliveriesParameters>({
  name: "expire_deliveries",
  text: `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, delayed_until = NULL, failure = $1
WHERE owner_id = $2 AND id = ANY (ARRAY(
  SELECT id FROM (
        SELECT id, expires_at FROM webhook_deliveries WHERE endpoint_id = $3 AND status = 'pending'
    ORDER BY created_at, id LIMIT $4) AS oldest
  WHERE expires_at <= now() OR NOT $5))
    AND status = 'pending' AND (expires_at <= now() OR NOT $5)`,
  values: (it) => [it.failure, it.ownerId, it.endpointId, it.batch, it.onlyExpired],
});

export type DropOldestParameters = {
  readonly failure: string;
  readonly ownerId: string;
  readonly endpointId: string;
  readonly most: number;
  readonly batch: number;
};
/** Ends some of the pending deliveries to an endpoint, except the newest `most`. */
export const dropOldest = affectedRows<DropOldestParameters>({
  name: "drop_oldest",
  text: `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, delayed_until = NULL, failure = $1
WHERE owner_id = $2 AND status = 'pending' AND id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries WHERE endpoint_id = $3 AND status = 'pending'
  ORDER BY created_at DESC, id DESC OFFSET $4 LIMIT $5))`,
  values: (it) => [it.failure, it.ownerId, it.endpointId, it.most, it.batch],
});

export type MarkSuccessParameters = {
  readonly id: string;
};
export const markSuccess = affectedRows<MarkSuccessParameters>({
  name: "mark_success",
  text: `UPDATE webhook_endpoints SET failing_since = NULL, failures = 0 WHERE id = $1`,
  values: (it) => [it.id],
});

export type MarkFailureParameters = {
  readonly at: string;
  readonly resumeAt: string | null;
  readonly id: string;
  readonly failures: number;
};
export type MarkFailureRow = {
  readonly failingSince: string | null;
};
/** Counts a failed attempt, and pauses the endpoint until `resume_at`, if it is not null. Does nothing if `failures` has changed, so that
 * attempts at the same time count once. The times are parameters, because on a cluster CASE and COALESCE can't call a clock. */
export const markFailure = one<MarkFailureParameters, MarkFailureRow>({
  name: "mark_failure",
  text: `UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, $1::timestamptz), failures = failures + 1,
  resume_at = coalesce($2::timestamptz, resume_at)
WHERE id = $3 AND disabled_because IS NULL AND failures = $4 RETURNING failing_since`,
  values: (it) => [it.at, it.resumeAt, it.id, it.failures],
  columns: ["timestamptz"],
  row: (it) => ({ failingSince: it[0] }) as MarkFailureRow,
});

export type NotifyOfEndpointParameters = {
  readonly ownerId: string;
  readonly kind: string;
  readonly host: string;
  readonly detail: string;
  readonly id: string;
};
/** Notifies the owner of an endpoint of a change by a request. */
export const notifyOfEndpoint = affectedRows<NotifyOfEndpointParameters>({
  name: "notify_of_endpoint",
  text: `SELECT FROM add_notifications(ARRAY[$1::uuid], $2, NULL, NULL, $3, NULL, $4::text::jsonb, $5::text, 'webhook_endpoint', $5,
  '/webhook-endpoints/' || $5)`,
  values: (it) => [it.ownerId, it.kind, it.host, it.detail, it.id],
});

export type DisableEndpointParameters = {
  readonly reason: string;
  readonly id: string;
  readonly host: string;
};
export type DisableEndpointRow = {
  readonly id: string;
};
/** Disables an endpoint, and notifies its owner. No row if it is disabled or deleted. An operator can also disable one that something else
 * has disabled, so that its owner can't enable it. */
export const disableEndpoint = one<DisableEndpointParameters, DisableEndpointRow>({
  name: "disable_endpoint",
  text: `WITH disabled AS (
  UPDATE webhook_endpoints SET disabled_because = $1
  WHERE id = $2 AND (disabled_because IS NULL OR $1 = 'operator' AND disabled_because <> 'operator') RETURNING id, owner_id)
SELECT id FROM disabled, add_notifications(ARRAY[owner_id], 'webhook_endpoint.disabled', NULL, NULL, $3, NULL,
  jsonb_build_object('reason', $1), disabled.id::text, 'webhook_endpoint', disabled.id::text, '/webhook-endpoints/' || disabled.id)`,
  values: (it) => [it.reason, it.id, it.host],
  columns: ["uuid"],
  row: (it) => ({ id: it[0] }) as DisableEndpointRow,
});

export type RemoveDeliveriesParameters = {
  readonly id: string;
  readonly batch: number;
};
/** Removes some of the deliveries to an endpoint. The order keeps a plan from reading the whole table for each batch. */
export const removeDeliveries = affectedRows<RemoveDeliveriesParameters>({
  name: "remove_deliveries",
  text: `DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY created_at, id LIMIT $2)`,
  values: (it) => [it.id, it.batch],
});

export type PurgeDeliveriesParameters = {
  readonly retentionDays: number;
  readonly batch: number;
};
/** Removes some of the deliveries that are older than their retention. */
export const purgeDeliveries = affectedRows<PurgeDeliveriesParameters>({
  name: "purge_deliveries",
  text: `DELETE FROM webhook_deliveries WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => $1::int)
  ORDER BY created_at LIMIT $2)`,
  values: (it) => [it.retentionDays, it.batch],
});

export type RemoveResponsesParameters = {
  readonly userId: string | null;
  readonly batch: number;
};
/** Removes some responses of receivers: to test events, if they have the id of a user, and to all other events, because they can quote other
 * users. The order is that of the only index with these rows. */
export const removeResponses = affectedRows<RemoveResponsesParameters>({
  name: "remove_responses",
  text: `UPDATE webhook_deliveries SET response_body = NULL WHERE (owner_id, id) IN (
  SELECT owner_id, id FROM webhook_deliveries
  WHERE response_body IS NOT NULL AND (event <> 'webhook_endpoint.tested' OR strpos(response_body, $1::uuid::text) > 0)
  ORDER BY id LIMIT $2)`,
  values: (it) => [it.userId, it.batch],
});
