/** The part of an endpoint that its owner must know of. */
type Reach = { readonly url: string; readonly scopes: readonly string[] };
type Notice = { readonly kind: string; readonly host: string; readonly detail: string };

/** The longest name of DNS. A longer host would cut off the end of the text. */
const HOST_LENGTH_MAX = 253;

/** The host of a receiver. Paths and queries can have secrets. */
export const hostOfEndpoint = ({ url }: Pick<Reach, "url">): string => new URL(url).host.slice(0, HOST_LENGTH_MAX);

const noticeOf = (kind: string, it: Reach): Notice => ({
  kind,
  host: hostOfEndpoint(it),
  detail: JSON.stringify({ scopes: it.scopes }),
});

/** The notification of a new endpoint. Its owner may not know of it, because the key was stolen. */
export const createdNotice = (it: Reach): Notice => noticeOf("webhook_endpoint.created", it);

/** The notification of a change; null if nothing goes elsewhere than before, and no scope is another. */
export function changedNotice(before: Reach, after: Reach): Notice | null {
  const isSame = before.url === after.url && new Set(before.scopes).symmetricDifference(new Set(after.scopes)).size === 0;
  return isSame ? null : noticeOf("webhook_endpoint.changed", after);
}
