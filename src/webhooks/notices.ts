/** The fields of an endpoint whose change is notified. */
type NotifiedFields = { readonly url: string; readonly scopes: readonly string[] };
type Notice = { readonly kind: string; readonly host: string; readonly detail: string };

/** The longest name of DNS. Otherwise, a longer host would cut off the end of the text. */
const HOST_LENGTH_MAX = 253;

/** The host of a receiver. Paths and queries can have secrets. */
export const hostOfEndpoint = ({ url }: Pick<NotifiedFields, "url">): string => new URL(url).host.slice(0, HOST_LENGTH_MAX);

const noticeOf = (kind: string, it: NotifiedFields): Notice => ({
  kind,
  host: hostOfEndpoint(it),
  detail: JSON.stringify({ scopes: it.scopes }),
});

/** The notification of a new endpoint. It shows the owner that a stolen key was used. */
export const createdNotice = (it: NotifiedFields): Notice => noticeOf("webhook_endpoint.created", it);

/** The notification of a change; null if the URL and the scopes are the same. */
export function changedNotice(before: NotifiedFields, after: NotifiedFields): Notice | null {
  const isSame = before.url === after.url && new Set(before.scopes).symmetricDifference(new Set(after.scopes)).size === 0;
  return isSame ? null : noticeOf("webhook_endpoint.changed", after);
}
