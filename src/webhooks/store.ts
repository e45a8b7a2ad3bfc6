import * as sql from "#generated/sql/webhooks.ts";
import type { Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import { purge } from "../database/purge.ts";
import type { Runner } from "../database/statement.ts";

export {
  attemptAgain,
  claimDelivery,
  disableEndpoint,
  findDelivery,
  findEndpoint,
  findEndpointToSend,
  findEndpoints,
  findReadyEndpoints,
  insertDelivery,
  lockEndpoint,
  lockOwner,
  markFailure,
  markSuccess,
  notifyOfEndpoint,
  putBack,
  recordAttempt,
  removeDeliveries,
  removeResponses,
} from "#generated/sql/webhooks.ts";
export type EndpointRow = sql.FindEndpointRow;
export type DeliveryRow = sql.FindDeliveryRow;
export type ClaimedDelivery = sql.ClaimDeliveryRow;
export type ReadyEndpoint = sql.FindReadyEndpointsRow;

/** What the owner of an endpoint chooses. */
export type Chosen = {
  readonly url: string;
  readonly description?: string | undefined;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
};

/** How long deliveries are kept. */
const DAYS_KEPT = 7;

/** What a new endpoint has besides. `authorizedBy` is the API key that creates it, or null for a token. */
type Made = { readonly id: string; readonly ownerId: string; readonly secret: string; readonly authorizedBy: string | null };

export async function insertEndpoint(tx: Tx, made: Made, chosen: Chosen): Promise<void> {
  const { url, description = null, events, scopes } = chosen;
  await tx.webhookEndpoint.create({ data: { ...made, url, description, events: [...events], scopes: [...scopes] } });
}

export const countEndpoints = (tx: Tx, ownerId: string): Promise<number> => tx.webhookEndpoint.count({ where: { ownerId } });

/** What changes in an endpoint. An endpoint that begins again has no failures. */
export type Change = Partial<Chosen> & {
  readonly isDisabled?: boolean;
  readonly authorizedBy?: string | null | undefined;
  readonly startsAgain: boolean;
};

export async function updateEndpoint(
  tx: Tx,
  id: string,
  { events, scopes, isDisabled, startsAgain, ...plain }: Change,
): Promise<void> {
  await tx.webhookEndpoint.update({
    where: { id },
    data: {
      ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
      ...(events !== undefined && { events: [...events] }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(isDisabled !== undefined && { disabledBecause: isDisabled ? "owner" : null }),
      ...(startsAgain && { failingSince: null, failures: 0 }),
    },
  });
}

/** How many rows one statement changes. */
const BATCH = 1_000;

/** Ends the pending deliveries to a disabled endpoint, or the oldest of many: a worker ends the others. */
export const endPending = (runner: Runner, { ownerId, id }: Pick<EndpointRow, "ownerId" | "id">): Promise<number> =>
  giveUp(runner, { ownerId, endpointId: id, failure: "endpoint_disabled", onlyExpired: false });

/** Ends some pending deliveries to an endpoint, the oldest first: all, or those whose time is over. */
export const giveUp = (runner: Runner, ended: Omit<sql.GiveUpParameters, "batch">): Promise<number> =>
  sql.giveUp(runner, { ...ended, batch: BATCH });

/** Makes the deliveries ready that the pause of an endpoint has delayed, or some of many: a worker does the others after a success. */
export async function endPause(runner: Runner, { ownerId, id, resumeAt }: EndpointRow): Promise<boolean> {
  return resumeAt !== null && (await sql.endPause(runner, { ownerId, endpointId: id, resumeAt, batch: BATCH })) === BATCH;
}

/** Delays the ready deliveries to those of these endpoints that are paused, except those that ignore it. */
export async function delayPaused(runner: Runner, all: readonly ReadyEndpoint[]): Promise<void> {
  const paused = all.filter((it) => it.pausedUntil !== null);
  const [endpoints, owners] = [paused.map((it) => it.id), paused.map((it) => it.ownerId)];
  const untils = paused.map((it) => it.pausedUntil!);
  if (paused.length > 0) while ((await sql.delayPaused(runner, { endpoints, owners, untils, most: BATCH })).count === BATCH);
}

/** Makes a batch of deliveries ready whose delay is over, and returns whether there may be more of them. */
export const promoteDeliveries = async (runner: Runner): Promise<boolean> =>
  (await sql.promoteDeliveries(runner, { batch: BATCH })) === BATCH;

/** Ends the oldest pending deliveries to an endpoint beyond the newest `most`. */
export async function dropOldest(runner: Runner, { ownerId, id }: EndpointRow, most: number): Promise<void> {
  const dropped = { ownerId, endpointId: id, failure: "too_many_pending", most, batch: BATCH };
  while ((await sql.dropOldest(runner, dropped)) === BATCH);
}

/** Replaces the secret. The one before it signs until `until`, too. */
export async function rotateSecret(
  tx: Tx,
  id: string,
  secrets: { readonly next: string; readonly previous: string },
  until: string,
) {
  const { next: secret, previous: previousSecret } = secrets;
  await tx.webhookEndpoint.update({ where: { id }, data: { secret, previousSecret, previousSecretUntil: new Date(until) } });
}

/** Removes an endpoint of a user, and returns whether there was one. */
export async function removeEndpoint(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.webhookEndpoint.deleteMany({ where: { id, ownerId } });
  return count === 1;
}

/** Without what no operator needs to see. */
const WITHOUT_SECRETS = { secret: true, previousSecret: true } as const;

/** The endpoints of a user, oldest first. */
export const findEndpointsOf = (tx: Tx, ownerId: string) =>
  tx.webhookEndpoint.findMany({ where: { ownerId }, orderBy: { id: "asc" }, omit: WITHOUT_SECRETS });

/** An endpoint of any user. */
export const findEndpointOfAnybody = (tx: Tx, id: string) =>
  tx.webhookEndpoint.findUnique({ where: { id }, omit: WITHOUT_SECRETS });

/** How many endpoints of a user are sent events. */
export const countEnabled = (tx: Tx, ownerId: string): Promise<number> =>
  tx.webhookEndpoint.count({ where: { ownerId, disabledBecause: null } });

/** Enables an endpoint that an operator has disabled. The id of the owner; null if there is none. */
export async function enableByOperator(tx: Tx, id: string): Promise<string | null> {
  const data = { disabledBecause: null, failingSince: null, failures: 0, resumeAt: null };
  const [enabled = null] = await tx.webhookEndpoint.updateManyAndReturn({ where: { id, disabledBecause: "operator" }, data });
  return enabled?.ownerId ?? null;
}

/** Which deliveries to list. */
type Listed = { readonly ownerId: string; readonly endpointId: string };

export function findDeliveries(runner: Runner, listed: Listed, status: string | undefined, pageRequest: CreationPageRequest) {
  return status === undefined
    ? sql.findDeliveries(runner, pageRequest, listed)
    : sql.findDeliveriesOfStatus(runner, pageRequest, { ...listed, status });
}

/** Removes the deliveries that are no longer kept, and returns how many there were. */
export const purgeDeliveries = (tx: Tx): Promise<number> =>
  purge((batch) => sql.purgeDeliveries(tx, { daysKept: DAYS_KEPT, batch }));

/** Removes what a process of the previous version has stored of responses to events that can have words of others. */
export const purgeResponses = (tx: Tx): Promise<number> => purge((batch) => sql.removeResponses(tx, { userId: null, batch }));
