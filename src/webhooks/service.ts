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
/** For this long after a rotation, events are also signed with the previous secret. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** Whether endpoints can have addresses that are not public. */
export type EndpointRules = { readonly allowsPrivate: boolean };

/** A secret in the form of Standard Webhooks. */
const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

/** Refuses scopes that the credential lacks. Call it for retries, too, because a replayed response contains the secret. */
export function checkCreation({ principal, body }: Pick<Input<"createWebhookEndpoint">, "principal" | "body">): void {
  requireScopes(principal, body.scopes ?? []);
}

/**
 * Creates an endpoint after `checkCreation`, and notifies its owner. The transaction locks the row of the user, so that
 * concurrent requests don't exceed the limit.
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
  // Before the endpoint is inserted, so that it doesn't get an event about its own creation.
  await store.notifyOfEndpoint(tx, { ownerId: userId, id, ...createdNotice({ url: body.url, scopes }) });
  await store.insertEndpoint(tx, { id, ownerId: userId, secret, authorizedBy }, { ...body, scopes });
  return { endpoint: await readEndpoint(tx, userId, id), secret };
}

/** Reads an endpoint of this user. */
export async function readEndpoint(runner: Runner, ownerId: string, id: string): Promise<EndpointRow> {
  return orNotFound(await store.findEndpoint(runner, { ownerId, id }), "webhook endpoint");
}

/**
 * Changes an endpoint. The credential needs all its scopes, or it could send data elsewhere that it can't read. Without them, it
 * can only disable.
 */
export function changeEndpoint(db: Db, rules: EndpointRules, input: Input<"updateWebhookEndpoint">): Promise<EndpointRow> {
  const { principal, path, body } = input;
  const { userId } = principal;
  const { endpoint_id: id } = path;
  return transaction(db, async (tx) => {
    const { status, ...settings } = body;
    const { url, events, scopes } = settings;
    const givesRights = [url, events, scopes].some((it) => it !== undefined) || status === "active";
    // In the order of locks of a revocation: the key before the endpoint.
    const authorizedBy = givesRights ? await lockApiKeyOf(tx, principal) : undefined;
    const row = await lockOwn(tx, userId, id);
    if (url !== undefined) requireAddress(rules, url);
    const onlyDisables = status === "disabled" && Object.keys(settings).length === 0;
    if (!onlyDisables) requireScopes(principal, scopes ?? row.scopes);
    const isDisabledByOperator = row.disabledBecause === "operator";
    if (isDisabledByOperator && status === "active")
      throw new Failure(
        "disabled_by_operator",
        "The operator has disabled this webhook endpoint. Only the operator can enable it.",
      );
    const notice = changedNotice(row, { url: url ?? row.url, scopes: scopes ?? row.scopes });
    if (notice !== null) await store.notifyOfEndpoint(tx, { ownerId: userId, id, ...notice });
    const resetsHealth = url !== undefined || status === "active";
    await store.updateEndpoint(tx, id, {
      ...settings,
      ...(status !== undefined && !isDisabledByOperator && { isDisabled: status === "disabled" }),
      ...(givesRights && { authorizedBy }),
      resetsHealth,
    });
    if (resetsHealth) await store.endPause(tx, row);
    if (status === "disabled") await store.failPending(tx, row);
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
  // Again, for events of transactions that committed during this one.
  await store.removeDeliveries(parts.pool, { id, batch: 1_000 });
}

/**
 * Rotates the secret. While the previous one is valid, another rotation keeps it: the receiver may never have got the new one.
 */
export async function rotateSecret(tx: Tx, ownerId: string, id: string) {
  const row = await lockOwn(tx, ownerId, id);
  const { previousSecret, previousSecretUntil } = row;
  const isValid = previousSecret !== null && previousSecretUntil !== null && new Date(previousSecretUntil) > new Date();
  const previous = isValid ? previousSecret : row.secret;
  const until = isValid ? previousSecretUntil : new Date(Date.now() + PREVIOUS_SECRET_MS).toISOString();
  const next = newSecret();
  await store.rotateSecret(tx, id, { next, previous }, until);
  return { secret: next, until };
}

type EndpointInput = { readonly principal: Principal; readonly path: { readonly endpoint_id: string } };

export async function readDeliveries(
  runner: Runner,
  { principal, path }: EndpointInput,
  status: string | undefined,
  pageRequest: CreationPageRequest,
) {
  const filter = { ownerId: principal.userId, endpointId: path.endpoint_id };
  const rows = await store.findDeliveries(runner, filter, status, pageRequest);
  // An endpoint with deliveries exists and belongs to the user.
  if (rows.length === 0) await readEndpoint(runner, filter.ownerId, filter.endpointId);
  return rows;
}

type DeliveryInput = EndpointInput & { readonly path: { readonly delivery_id: string } };

export async function readDelivery(runner: Runner, { principal, path }: DeliveryInput): Promise<DeliveryRow> {
  const ids = { ownerId: principal.userId, endpointId: path.endpoint_id, id: path.delivery_id };
  return orNotFound(await store.findDelivery(runner, ids), "delivery");
}

/** Stores a test event for an endpoint. */
export async function sendTest(tx: Tx, { principal, path }: EndpointInput): Promise<DeliveryRow> {
  const { userId: ownerId } = principal;
  const { endpoint_id: endpointId } = path;
  requireEnabled(await lockOwn(tx, ownerId, endpointId));
  const data = JSON.stringify({ endpoint_id: endpointId });
  return store.insertDelivery(tx, { id: randomUUIDv7(), ownerId, endpointId, event: "webhook_endpoint.tested", data });
}

/** Makes a delivery ready again. */
export async function redeliver(tx: Tx, { principal, path }: DeliveryInput): Promise<DeliveryRow> {
  const ids = { ownerId: principal.userId, endpointId: path.endpoint_id };
  const endpoint = await store.lockEndpoint(tx, { ownerId: ids.ownerId, id: ids.endpointId });
  const { id } = orNotFound(await store.findDelivery(tx, { ...ids, id: path.delivery_id }), "delivery");
  requireEnabled(orNotFound(endpoint, "delivery"));
  return orNotFound(await store.redeliver(tx, { ...ids, id, at: new Date().toISOString() }), "delivery");
}

async function lockOwn(tx: Tx, ownerId: string, id: string): Promise<EndpointRow> {
  return orNotFound(await store.lockEndpoint(tx, { ownerId, id }), "webhook endpoint");
}

function requireEnabled({ disabledBecause }: EndpointRow): void {
  if (disabledBecause !== null) throw new Failure("endpoint_disabled", "This webhook endpoint is disabled. Enable it first.");
}

/** Events contain data that a scope protects, so an endpoint can have only scopes of the credential. */
function requireScopes({ scopes: own }: Principal, scopes: readonly string[]): void {
  const missing = scopes.filter((it) => !own.has(it));
  if (missing.length > 0)
    throw new Failure("insufficient_scope", `This credential lacks the scope ${missing.join(" ")}.`, { scopes: missing });
}

function requireAddress(rules: EndpointRules, url: string): void {
  const target = checkTarget(url, rules);
  if (target.kind === "refused") throw refusedInput("target_not_allowed", { in: "body", pointer: "/url", detail: target.reason });
}
