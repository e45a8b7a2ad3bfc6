import * as sql from "#generated/sql/webhooks.ts";
import type { Tx } from "../database/client.ts";
import type { CreationWindow } from "../database/keyset.ts";
import { purge } from "../database/purge.ts";
import type { Runner } from "../database/statement.ts";

export {
  attemptAgain,
  disableEndpoint,
  endLease,
  findDelivery,
  findDueDeliveries,
  findDueEndpoints,
  findEndpoint,
  findEndpointToTell,
  findEndpoints,
  giveUp,
  insertDelivery,
  lockEndpoint,
  lockOwner,
  markFailure,
  markSlow,
  markSuccess,
  recordAttempt,
  removeDeliveries,
  takeLease,
} from "#generated/sql/webhooks.ts";
export type EndpointRow = sql.FindEndpointRow;
export type DeliveryRow = sql.FindDeliveryRow;
export type DueDelivery = sql.FindDueDeliveriesRow;

/** What the owner of an endpoint chooses. */
export type Chosen = {
  readonly url: string;
  readonly description?: string | undefined;
  readonly events: readonly string[];
  readonly scopes: readonly string[];
};

/** How long deliveries are kept. */
const DAYS_KEPT = 7;

export async function insertEndpoint(tx: Tx, ownerId: string, id: string, secret: string, chosen: Chosen): Promise<void> {
  const { url, description = null, events, scopes } = chosen;
  await tx.webhookEndpoint.create({ data: { id, ownerId, url, description, events: [...events], scopes: [...scopes], secret } });
}

export const countEndpoints = (tx: Tx, ownerId: string): Promise<number> => tx.webhookEndpoint.count({ where: { ownerId } });

/** What changes in an endpoint. An endpoint that begins again has no failures. */
export type Change = Partial<Chosen> & { readonly isDisabled?: boolean; readonly startsAgain: boolean };

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
      ...(startsAgain && { failingSince: null, failures: 0, resumeAt: null }),
    },
  });
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

/** Which deliveries to list. */
type Listed = { readonly ownerId: string; readonly endpointId: string };

export function findDeliveries(runner: Runner, listed: Listed, status: string | undefined, window: CreationWindow) {
  return status === undefined
    ? sql.findDeliveries(runner, window, listed)
    : sql.findDeliveriesOfStatus(runner, window, { ...listed, status });
}

/** Removes the deliveries that are no longer kept, and returns how many there were. */
export const purgeDeliveries = (tx: Tx): Promise<number> =>
  purge((batch) => sql.purgeDeliveries(tx, { daysKept: DAYS_KEPT, batch }));
