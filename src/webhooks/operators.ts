import type { Tx } from "../database/client.ts";
import { hostOfEndpoint } from "./notices.ts";
import { disableEndpoint, findEndpointById, findEndpointsOfOwner } from "./store.ts";

/**
 * Disables the endpoints that a key, or any key, has authorized. Call it after the revocation in its transaction: no request
 * holds a key then.
 */
export async function disableAuthorized(tx: Tx, ownerId: string, keyId?: string): Promise<number> {
  const isAuthorized = (by: string | null) => (keyId === undefined ? by !== null : by === keyId);
  let count = 0;
  for (const endpoint of await findEndpointsOfOwner(tx, ownerId))
    if (isAuthorized(endpoint.authorizedBy) && (await disable(tx, endpoint, "credential_revoked"))) count++;
  return count;
}

/** Disables an endpoint so that its owner can't enable it. Returns the id of the owner; null if there is nothing to disable. */
export async function disableByOperator(tx: Tx, id: string): Promise<string | null> {
  const endpoint = await findEndpointById(tx, id);
  if (endpoint === null || !(await disable(tx, endpoint, "operator"))) return null;
  return endpoint.ownerId;
}

type Endpoint = { readonly id: string; readonly url: string };

/** False if it is disabled already. */
async function disable(tx: Tx, endpoint: Endpoint, reason: "credential_revoked" | "operator"): Promise<boolean> {
  return (await disableEndpoint(tx, { id: endpoint.id, host: hostOfEndpoint(endpoint), reason })) !== null;
}
