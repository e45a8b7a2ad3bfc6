import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Input, Principal } from "../contract/contract.ts";
import { transaction, type Connections, type Db, type Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, notFound, orNotFound, refusedInput } from "../failure.ts";
import type { Dependents } from "../jobs/dependents.ts";
import { lockApiKeyOf } from "../auth/api-keys.ts";
import { checkTarget } from "./egress/target.ts";
import { changedNotice, createdNotice } from "./notices.ts";
import * as store from "./store.ts";
import type { DeliveryRow, EndpointRow } from "./store.ts";

const ENDPOINTS_MAX = 10;
const SECRET_BYTES = 32;
/** How long the previous secret signs after a rotation. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** What endpoints can be: whether they can have addresses that are not public. */
export type EndpointRules = { readonly allowsPrivate: boolean };

/** A secret in the form of Standard Webhooks. */
const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

/** Refuses a creation whose scopes the credential lacks. Not only the first one: a replay has the secret, too. */
export function checkCreation({ principal, body }: Pick<Input<"createWebhookEndpoint">, "principal" | "body">): void {
  requireScopes(principal, body.scopes ?? []);
}

/**
 * Creates an endpoint after `checkCreation`, and notifies its owner. The transaction holds the row of the user, so that two requests at
 * once don't exceed the limit.
 */
export async function createEndpoint(
  tx: Tx,
  rules: EndpointRules,
  { principal, body }: Pick<Input<"createWebhookEndpoint">, "principal" | "body">,
) {
  const { userId } = principal;
  const { scopes = [] } = body;
  requireAddress(rules, body.url);
  const authorizedBy = await lockApiKeyOf(tx, principal);
  await store.lockOwner(tx, { id: userId });
  if ((await store.countEndpoints(tx, userId)) >= ENDPOINTS_MAX)
    throw new Failure("endpoint_limit_reached", `You already have ${ENDPOINTS_MAX} webhook endpoints, which is the maximum.`);
  const [id, secret] = [randomUUIDv7(), newSecret()];
  // Before the endpoint is there, so that it isn't sent its own notification.
  await store.notifyOfEndpoint(tx, { ownerId: userId, id, ...createdNotice({ url: body.url, scopes }) });
  await store.insertEndpoint(tx, { id, ownerId: userId, secret, authorizedBy }, { ...body, scopes });
  return { endpoint: await readEndpoint(tx, userId, id), secret };
}

/** An endpoint of this user. */
export async function readEndpoint(runner: Runner, ownerId: string, id: string): Promise<EndpointRow> {
  return orNotFound(await store.findEndpoint(runner, { ownerId, id }), "webhook endpoint");
}

/**
 * Changes an endpoint, and notifies its owner if the url or the scopes are others then. The credential must have every scope that the
 * endpoint has then: otherwise, it could send what it can't read elsewhere. Without them, it can only end what is sent.
 */
export function changeEndpoint(db: Db, rules: EndpointRules, input: Input<"updateWebhookEndpoint">): Promise<EndpointRow> {
  const { principal, path, body } = input;
  const { userId } = principal;
  const { endpoint_id: id } = path;
  return transaction(db, async (tx) => {
    const { status, ...chosen } = body;
    const { url, events, scopes } = chosen;
    const givesRights = [url, events, scopes].some((it) => it !== undefined) || status === "active";
    // Before the endpoint is locked, as in a revocation.
    const authorizedBy = givesRights ? await lockApiKeyOf(tx, principal) : undefined;
    const row = await lockOwn(tx, userId, id);
    if (url !== undefined) requireAddress(rules, url);
    const onlyDisables = status === "disabled" && Object.keys(chosen).length === 0;
    if (!onlyDisables) requireScopes(principal, scopes ?? row.scopes);
    const isOperators = row.disabledBecause === "operator";
    if (isOperators && status === "active")
      throw new Failure(
        "disabled_by_operator",
        "The operator has disabled this webhook endpoint. Only the operator can enable it.",
      );
    const notice = changedNotice(row, { url: url ?? row.url, scopes: scopes ?? row.scopes });
    if (notice !== null) await store.notifyOfEndpoint(tx, { ownerId: userId, id, ...notice });
    const startsAgain = url !== undefined || status === "active";
    await store.updateEndpoint(tx, id, {
      ...chosen,
      ...(status !== undefined && !isOperators && { isDisabled: status === "disabled" }),
      ...(givesRights && { authorizedBy }),
      startsAgain,
    });
    if (startsAgain) await store.endPause(tx, row);
    if (status === "disabled") await store.endPending(tx, row);
    return readEndpoint(tx, userId, id);
  });
}

/** Deletes an endpoint with its deliveries. */
export async function deleteEndpoint(
  parts: Pick<Connections, "db" | "pool"> & { readonly dependents: Dependents },
  ownerId: string,
  id: string,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    if (!(await store.removeEndpoint(tx, ownerId, id))) throw notFound("webhook endpoint");
    await parts.dependents.deleted(tx, "webhook_endpoints", id);
  });
  // Once more, for events whose transactions ended during this one.
  await store.removeDeliveries(parts.pool, { id, batch: 1_000 });
}

/**
 * Gives an endpoint a new secret, and returns it with the end of the one before. While that one is valid, a further rotation replaces
 * only the new secret: the response to the first one may have been lost, and then the receiver knows the one before.
 */
export function rotateSecret(db: Db, ownerId: string, id: string): Promise<{ readonly secret: string; readonly until: string }> {
  return transaction(db, async (tx) => {
    const row = await lockOwn(tx, ownerId, id);
    const { previousSecret, previousSecretUntil } = row;
    const isValid = previousSecret !== null && previousSecretUntil !== null && new Date(previousSecretUntil) > new Date();
    const previous = isValid ? previousSecret : row.secret;
    const until = isValid ? previousSecretUntil : new Date(Date.now() + PREVIOUS_SECRET_MS).toISOString();
    const next = newSecret();
    await store.rotateSecret(tx, id, { next, previous }, until);
    return { secret: next, until };
  });
}

type OfEndpoint = { readonly principal: Principal; readonly path: { readonly endpoint_id: string } };

export async function readDeliveries(
  runner: Runner,
  { principal, path }: OfEndpoint,
  status: string | undefined,
  pageRequest: CreationPageRequest,
) {
  const listed = { ownerId: principal.userId, endpointId: path.endpoint_id };
  const rows = await store.findDeliveries(runner, listed, status, pageRequest);
  // Only an endpoint without deliveries may be none of the user's.
  if (rows.length === 0) await readEndpoint(runner, listed.ownerId, listed.endpointId);
  return rows;
}

type OfDelivery = OfEndpoint & { readonly path: { readonly delivery_id: string } };

export async function readDelivery(runner: Runner, { principal, path }: OfDelivery): Promise<DeliveryRow> {
  const place = { ownerId: principal.userId, endpointId: path.endpoint_id, id: path.delivery_id };
  return orNotFound(await store.findDelivery(runner, place), "delivery");
}

/** Stores a test event for an endpoint. */
export function sendTest(db: Db, { principal, path }: OfEndpoint): Promise<DeliveryRow> {
  const { userId: ownerId } = principal;
  const { endpoint_id: endpointId } = path;
  return transaction(db, async (tx) => {
    requireEnabled(await lockOwn(tx, ownerId, endpointId));
    const data = JSON.stringify({ endpoint_id: endpointId });
    return store.insertDelivery(tx, { id: randomUUIDv7(), ownerId, endpointId, event: "webhook_endpoint.tested", data });
  });
}

/** Makes a delivery due again. */
export function sendAgain(db: Db, { principal, path }: OfDelivery): Promise<DeliveryRow> {
  const place = { ownerId: principal.userId, endpointId: path.endpoint_id };
  return transaction(db, async (tx) => {
    const endpoint = await store.lockEndpoint(tx, { ownerId: place.ownerId, id: place.endpointId });
    const { id } = orNotFound(await store.findDelivery(tx, { ...place, id: path.delivery_id }), "delivery");
    requireEnabled(orNotFound(endpoint, "delivery"));
    return orNotFound(await store.attemptAgain(tx, { ...place, id, at: new Date().toISOString() }), "delivery");
  });
}

async function lockOwn(tx: Tx, ownerId: string, id: string): Promise<EndpointRow> {
  return orNotFound(await store.lockEndpoint(tx, { ownerId, id }), "webhook endpoint");
}

function requireEnabled({ disabledBecause }: EndpointRow): void {
  if (disabledBecause !== null) throw new Failure("endpoint_disabled", "This webhook endpoint is disabled. Enable it first.");
}

/** Events contain what a scope reads, so only a credential that has the scope can give it to an endpoint. */
function requireScopes({ scopes: own }: Principal, scopes: readonly string[]): void {
  const missing = scopes.filter((it) => !own.has(it));
  if (missing.length > 0)
    throw new Failure("insufficient_scope", `This credential lacks the scope ${missing.join(" ")}.`, { scopes: missing });
}

function requireAddress(rules: EndpointRules, url: string): void {
  const target = checkTarget(url, rules);
  if (target.kind === "refused") throw refusedInput("target_not_allowed", { in: "body", pointer: "/url", detail: target.reason });
}
