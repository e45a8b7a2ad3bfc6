import * as sql from "#generated/sql/webhooks.ts";
import type { Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import { purge } from "../database/purge.ts";
import type { Runner } from "../database/statement.ts";

export {
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
  redeliver,
  notifyOfEndpoint,
  releaseClaim,
  recordAttempt,
  removeDeliveries,
  removeResponses,
} from "#generated/sql/webhooks.ts";
export type EndpointRow = sql.FindEndpointRow;
export type DeliveryRow = sql.FindDeliveryRow;
export type ClaimedDelivery = sql.ClaimDeliveryRow;
export type ReadyEndpoint = sql.FindReadyEndpointsRow;

/** The fields of an endpoint that its owner sets. */
export type EndpointSettings = {
  readonly url: string;
  readonly description?: string | undefined;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
};

const RETENTION_DAYS = 7;

/** The other fields of a new endpoint. `authorizedBy` is the API key of the request; null for a token. */
type NewEndpoint = {
  readonly id: string;
  readonly ownerId: string;
  readonly secret: string;
  readonly authorizedBy: string | null;
};

export async function insertEndpoint(tx: Tx, created: NewEndpoint, settings: EndpointSettings): Promise<void> {
  const { url, description = null, events, scopes } = settings;
  await tx.webhookEndpoint.create({ data: { ...created, url, description, events: [...events], scopes: [...scopes] } });
}

export const countEndpoints = (tx: Tx, ownerId: string): Promise<number> => tx.webhookEndpoint.count({ where: { ownerId } });

/** A change of an endpoint. `resetsHealth` removes its failures. */
export type EndpointChange = Partial<EndpointSettings> & {
  readonly isDisabled?: boolean;
  readonly authorizedBy?: string | null | undefined;
  readonly resetsHealth: boolean;
};

export async function updateEndpoint(
  tx: Tx,
  id: string,
  { events, scopes, isDisabled, resetsHealth, ...plain }: EndpointChange,
): Promise<void> {
  await tx.webhookEndpoint.update({
    where: { id },
    data: {
      ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
      ...(events !== undefined && { events: [...events] }),
      ...(scopes !== undefined && { scopes: [...scopes] }),
      ...(isDisabled !== undefined && { disabledBecause: isDisabled ? "owner" : null }),
      ...(resetsHealth && { failingSince: null, failures: 0 }),
    },
  });
}

/** The maximum number of rows that one statement changes. */
const BATCH = 1_000;

/** Fails the oldest pending deliveries to a disabled endpoint. If there are more than a batch, a worker fails the rest. */
export const failPending = (runner: Runner, { ownerId, id }: Pick<EndpointRow, "ownerId" | "id">): Promise<number> =>
  expireDeliveries(runner, { ownerId, endpointId: id, failure: "endpoint_disabled", onlyExpired: false });

/** Fails a batch of pending deliveries to an endpoint, oldest first: all, or only expired ones. */
export const expireDeliveries = (runner: Runner, ended: Omit<sql.ExpireDeliveriesParameters, "batch">): Promise<number> =>
  sql.expireDeliveries(runner, { ...ended, batch: BATCH });

/** Makes a batch of deliveries ready that a pause has delayed. Returns whether there may be more, which a worker does. */
export async function endPause(runner: Runner, { ownerId, id, resumeAt }: EndpointRow): Promise<boolean> {
  return resumeAt !== null && (await sql.endPause(runner, { ownerId, endpointId: id, resumeAt, batch: BATCH })) === BATCH;
}

/** Delays ready deliveries to the paused endpoints among these. Deliveries that ignore pauses stay ready. */
export async function delayPaused(runner: Runner, all: readonly ReadyEndpoint[]): Promise<void> {
  const paused = all.filter((it) => it.pausedUntil !== null);
  const [endpoints, owners] = [paused.map((it) => it.id), paused.map((it) => it.ownerId)];
  const untils = paused.map((it) => it.pausedUntil!);
  if (paused.length > 0) while ((await sql.delayPaused(runner, { endpoints, owners, untils, most: BATCH })).count === BATCH);
}

/** Makes a batch of deliveries ready at the end of their delay. Returns whether there may be more. */
export const promoteDeliveries = async (runner: Runner): Promise<boolean> =>
  (await sql.promoteDeliveries(runner, { batch: BATCH })) === BATCH;

/** Fails all pending deliveries to an endpoint except the newest `most`. */
export async function dropOldest(runner: Runner, { ownerId, id }: EndpointRow, most: number): Promise<void> {
  const dropped = { ownerId, endpointId: id, failure: "too_many_pending", most, batch: BATCH };
  while ((await sql.dropOldest(runner, dropped)) === BATCH);
}

/** Replaces the secret. Until `until`, the previous one signs, too. */
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

/** Operators don't need the secrets. */
const WITHOUT_SECRETS = { secret: true, previousSecret: true } as const;

/** The endpoints of a user, oldest first. */
export const findEndpointsOfOwner = (tx: Tx, ownerId: string) =>
  tx.webhookEndpoint.findMany({ where: { ownerId }, orderBy: { id: "asc" }, omit: WITHOUT_SECRETS });

/** An endpoint of any user. */
export const findEndpointById = (tx: Tx, id: string) => tx.webhookEndpoint.findUnique({ where: { id }, omit: WITHOUT_SECRETS });

/** The number of a user's endpoints that are not disabled. */
export const countEnabled = (tx: Tx, ownerId: string): Promise<number> =>
  tx.webhookEndpoint.count({ where: { ownerId, disabledBecause: null } });

/** Enables an endpoint that an operator has disabled. Returns the id of the owner; null if there is none. */
export async function enableByOperator(tx: Tx, id: string): Promise<string | null> {
  const data = { disabledBecause: null, failingSince: null, failures: 0, resumeAt: null };
  const [enabled = null] = await tx.webhookEndpoint.updateManyAndReturn({ where: { id, disabledBecause: "operator" }, data });
  return enabled?.ownerId ?? null;
}

type DeliveryFilter = { readonly ownerId: string; readonly endpointId: string };

export function findDeliveries(
  runner: Runner,
  filter: DeliveryFilter,
  status: string | undefined,
  pageRequest: CreationPageRequest,
) {
  return status === undefined
    ? sql.findDeliveries(runner, pageRequest, filter)
    : sql.findDeliveriesOfStatus(runner, pageRequest, { ...filter, status });
}

/** Removes deliveries at the end of their retention, and returns their number. */
export const purgeDeliveries = (tx: Tx): Promise<number> =>
  purge((batch) => sql.purgeDeliveries(tx, { retentionDays: RETENTION_DAYS, batch }));

/** Removes responses that a process of the previous version has stored, because they can contain text of other users. */
export const purgeResponses = (tx: Tx): Promise<number> => purge((batch) => sql.removeResponses(tx, { userId: null, batch }));
