import { findOperation } from "./contract.ts";
import { eventually } from "./eventually.ts";
import { witness } from "./witness.ts";

/** The body of any response. Tests check it with `toMatchObject`. */
export type Body = ReturnType<typeof JSON.parse>;
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Body; readonly text: string };
export type CallOptions = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };
type Identity = {
  readonly userId: string;
  readonly name: string;
  readonly authorization?: string;
  /** Headers of this server that the service doesn't send. */
  readonly ownHeaders?: readonly string[];
};

/** Sends requests as one user. Compares each response of an operation with the contract before the test gets it. */
export type Client = {
  (method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  readonly userId: string;
  readonly userName: string;
  readonly authorization: string | undefined;
};

/** Sends a string or bytes unchanged, as `application/octet-stream` unless a header says otherwise, and anything else as JSON. */
export function createClient(url: string, { userId, name, authorization, ownHeaders = [] }: Identity): Client {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, signal }: CallOptions = {},
  ): Promise<Answer> => {
    const sent = [...(tokens.get(url) ?? [])];
    const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        ...(body === undefined ? {} : { "Content-Type": isRaw ? "application/octet-stream" : "application/json" }),
        ...(sent.length === 0 ? {} : { "Consistency-Token": sent.join() }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: (isRaw ? body : JSON.stringify(body)) as NonNullable<RequestInit["body"]>, duplex: "half" }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    keepToken(url, sent, response.headers.get("consistency-token"));
    const operation = findOperation(method, path);
    if (operation !== null)
      witness(operation, { status: response.status, headers: response.headers, text, head: method === "HEAD", ownHeaders });
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
    };
  };
  return Object.assign(call, { userId, userName: name, authorization });
}

/** A client that repeats what returns 503, as a busy machine does at times. For reads and for writes that can be repeated. */
export function patient(client: Client): Client {
  const call = (...request: Parameters<Client>) =>
    eventually(`an answer to ${request[0]} ${request[1]} other than 503`, async () => {
      const answer = await client(...request);
      return answer.status === 503 ? null : answer;
    });
  return Object.assign(call, { userId: client.userId, userName: client.userName, authorization: client.authorization });
}

/** The tokens of each service, which its clients share, so that each of them sees what another one has written. */
const tokens = new Map<string, Set<string>>();

/** What the contract tells clients with concurrent requests to do. Tests without replicas send no tokens. */
function keepToken(url: string, sent: readonly string[], received: string | null): void {
  if (process.env["TEST_REPLICA_URL"] === undefined) return;
  const held = tokens.get(url) ?? new Set();
  for (const it of sent) held.delete(it);
  if (received !== null) held.add(received);
  tokens.set(url, held);
}
