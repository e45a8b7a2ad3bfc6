/** The part of an endpoint that its owner must know of. */
type Reach = { readonly url: string; readonly scopes: readonly string[] };
type Notice = { readonly kind: string; readonly title: string; readonly body: string };

/** The longest name of DNS. A longer host would cut off the end of the text. */
const HOST_LENGTH_MAX = 253;
const ADVICE = "If this wasn't you, delete it and ask the operator to revoke the key.";

/** The host of a receiver. Paths and queries can have secrets. */
export const hostOfEndpoint = ({ url }: Pick<Reach, "url">): string => new URL(url).host.slice(0, HOST_LENGTH_MAX);

const whatItGets = ({ scopes }: Reach) => (scopes.length === 0 ? "ids only" : `what ${scopes.join(", ")} can read`);

/** The notification of a new endpoint. Its owner may not know of it, because the key was stolen. */
export const createdNotice = (it: Reach): Notice => ({
  kind: "webhook_endpoint.created",
  title: "A webhook endpoint of yours was created",
  body: `It sends events with ${whatItGets(it)} to ${hostOfEndpoint(it)}. ${ADVICE}`,
});

/** The notification of a change; null if nothing goes elsewhere than before, and no scope is another. */
export function changedNotice(before: Reach, after: Reach): Notice | null {
  const isSame = before.url === after.url && new Set(before.scopes).symmetricDifference(new Set(after.scopes)).size === 0;
  if (isSame) return null;
  return {
    kind: "webhook_endpoint.changed",
    title: "A webhook endpoint of yours was changed",
    body: `It now sends events with ${whatItGets(after)} to ${hostOfEndpoint(after)}. ${ADVICE}`,
  };
}

/** What the owner reads when an operator has disabled an endpoint. */
export const WHY_DISABLED = {
  operator: (it: Reach) =>
    `The operator has disabled it. It sent events to ${hostOfEndpoint(it)}. Ask the operator if you need it.`,
  credential_revoked: (it: Reach) =>
    `The API key that created or changed it was revoked. It sent events to ${hostOfEndpoint(it)}. Enable it again if it is yours; otherwise, delete it.`,
} as const;
