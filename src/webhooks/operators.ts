import type { Tx } from "../database/client.ts";
import { hostOfEndpoint } from "./notices.ts";
import { disableEndpoint, findEndpointOfAnybody, findEndpointsOf } from "./store.ts";

/**
 * Disables the endpoints of a user that an API key has authorized, or any API key of the user, and notifies the user. Returns their number.
 * In the transaction that revokes the keys, after it: a request that holds one has then ended.
 */
export async function disableAuthorized(tx: Tx, ownerId: string, keyId?: string): Promise<number> {
  const isAuthorized = (by: string | null) => (keyId === undefined ? by !== null : by === keyId);
  let count = 0;
  for (const endpoint of await findEndpointsOf(tx, ownerId))
    if (isAuthorized(endpoint.authorizedBy) && (await disable(tx, endpoint, "credential_revoked"))) count++;
  return count;
}

/** Disables an endpoint so that its owner can't enable it. The id of the owner; null if there is nothing to disable. */
export async function disableByOperator(tx: Tx, id: string): Promise<string | null> {
  const endpoint = await findEndpointOfAnybody(tx, id);
  if (endpoint === null || !(await disable(tx, endpoint, "operator"))) return null;
  return endpoint.ownerId;
}

type Endpoint = { readonly id: string; readonly url: string };

/** False if it is disabled already. */
async function disable(tx: Tx, endpoint: Endpoint, reason: "credential_revoked" | "operator"): Promise<boolean> {
  return (await disableEndpoint(tx, { id: endpoint.id, host: hostOfEndpoint(endpoint), reason })) !== null;
}
