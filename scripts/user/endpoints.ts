import { StartupError } from "../../src/util/startup-error.ts";
import { transaction } from "../../src/database/client.ts";
import { hostOfEndpoint } from "../../src/webhooks/notices.ts";
import { disableByOperator } from "../../src/webhooks/operators.ts";
import { enableByOperator, findEndpointsOfOwner } from "../../src/webhooks/store.ts";
import { statusOf } from "../../src/webhooks/wire.ts";
import { audit } from "../operations/audit.ts";
import type { Work } from "../operations/parts.ts";
import { requireUser, type OfUser } from "./user.ts";

type EndpointRow = Awaited<ReturnType<typeof findEndpointsOfOwner>>[number];

/** Without the path and the query of the URL, which can have secrets of the receiver. */
const toJson = (it: EndpointRow) => ({
  id: it.id,
  host: hostOfEndpoint(it),
  events: it.events,
  scopes: it.scopes,
  status: statusOf(it),
  disabled_because: it.disabledBecause,
  created_at: it.createdAt,
  authorized_by: it.authorizedBy,
});

function lineOf(row: EndpointRow): string {
  const it = toJson(row);
  const status = it.disabled_because === null ? it.status : `${it.status} (${it.disabled_because})`;
  const by = it.authorized_by === null ? "no API key" : `plumb_${it.authorized_by}_…`;
  return `${it.id}  ${it.host}  ${status}\n  created ${it.created_at.toISOString()}, authorized by ${by}\n  events ${it.events.join(" ")}\n  scopes ${it.scopes.join(" ") || "none"}`;
}

export const endpoints =
  ({ userId, json }: OfUser): Work =>
  async ({ db }) => {
    await requireUser(db, userId);
    const rows = await findEndpointsOfOwner(db, userId);
    if (json) return rows.length === 0 ? undefined : rows.map((it) => JSON.stringify(toJson(it))).join("\n");
    return rows.length === 0 ? `User ${userId} has no webhook endpoints.` : rows.map(lineOf).join("\n");
  };

type OfEndpoint = { readonly endpointId: string; readonly json: boolean };

export const disableEndpoint =
  ({ endpointId: id, json }: OfEndpoint): Work =>
  async ({ db, config }) => {
    await transaction(db, async (tx) => {
      const userId = await disableByOperator(tx, id);
      if (userId === null) throw new StartupError(`There is no webhook endpoint ${id}, or an operator has disabled it already.`);
      await audit({ db: tx, config }, "endpoint.disable", { user_id: userId, endpoint_id: id });
    });
    if (json) return JSON.stringify({ id, status: "disabled", disabled_because: "operator" });
    return `The webhook endpoint ${id} is disabled, and its user is notified. Only npm run -s plumbline -- user enable-endpoint ${id} enables it, but the user can create another one.`;
  };

export const enableEndpoint =
  ({ endpointId: id, json }: OfEndpoint): Work =>
  async ({ db, config }) => {
    await transaction(db, async (tx) => {
      const userId = await enableByOperator(tx, id);
      if (userId === null) throw new StartupError(`There is no webhook endpoint ${id} that an operator has disabled.`);
      await audit({ db: tx, config }, "endpoint.enable", { user_id: userId, endpoint_id: id });
    });
    if (json) return JSON.stringify({ id, status: "active", disabled_because: null });
    return `The webhook endpoint ${id} is enabled. It gets events from now on.`;
  };
