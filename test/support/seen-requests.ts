import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as the service in this process has seen it, with the status that it gave, or null when it gave none. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly status: number | null;
};

/** Everything that servers of this process are asked from now on, in the order in which it ended. */
export function watchRequests(): { readonly seen: readonly SeenRequest[] } & Disposable {
  const seen: SeenRequest[] = [];
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { method = "", url: path = "", headers } = request;
    response.once("close", () => seen.push({ method, path, headers, status: response.headersSent ? response.statusCode : null }));
  };
  subscribe("http.server.request.start", note);
  return { seen, [Symbol.dispose]: () => void unsubscribe("http.server.request.start", note) };
}
