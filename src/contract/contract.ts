import type { Readable } from "node:stream";
import type { components, operations } from "#generated/openapi.d.ts";
import type { operations as described } from "#generated/operations.ts";

export type { ProblemCode } from "#generated/problems.ts";

/** The contract as types. This is the only file that knows how the generated ones look. */
export type OperationId = keyof operations;
export type Schemas = components["schemas"];

/** The caller, as its credential describes it. */
export type Principal = {
  readonly userId: string;
  readonly displayName: string;
  readonly scopes: ReadonlySet<string>;
  readonly credential: { readonly kind: "api_key" | "jwt"; readonly expiresAt: Date | null };
};

/** The operations that need no credential. */
export type PublicOperationId = {
  [Id in OperationId]: (typeof described)[Id]["scopes"] extends null ? Id : never;
}[OperationId];

/** Headers that the HTTP layer sends by itself on every answer, so that no handler has to. */
type SentByHttp =
  "X-Request-Id" | "API-Version" | "RateLimit" | "RateLimit-Policy" | "Link" | "Cache-Control" | "Deprecation" | "Sunset";

type Success = 200 | 201 | 202 | 204 | 206 | 302;
type Nothing = Readonly<Record<never, never>>;
/** openapi-typescript adds an index signature to every headers object: take it off, and what HTTP sends by itself. */
type Declared<T> = { [K in keyof T as string extends K ? never : K extends SentByHttp ? never : K]: T[K] };
/** Bytes to be sent, opened when it is sure that they will be. */
export type Download = { open(): Promise<Readable> };
type Content<T, Bytes> = T extends { content: { "application/json": infer B } }
  ? B
  : T extends { content: object }
    ? Bytes
    : undefined;
type OrNothing<T> = [T] extends [never] ? Nothing : T;
type Part<Id extends OperationId, In extends "path" | "query" | "header"> = OrNothing<
  NonNullable<operations[Id]["parameters"][In]>
>;

/** Parameters with a default are never absent here. */
type WithDefaults<Q, Defaulted> = Q & Required<Pick<Q, keyof Q & Defaulted>>;

/** An upload that has begun: its path, and its limits as a value of `Upload-Limit`. */
export type ResumableUpload = { readonly location: string; readonly limit: string };

declare const routed: unique symbol;
/**
 * The operation that a request was routed to. With `path` and the filters in `query` it says what a cursor or an idempotency
 * key belongs to. Only the router makes one: the name of an operation in the source is none.
 */
export type Routed<Id extends OperationId = OperationId> = Id & { readonly [routed]: true };

/** What an operation is given: validated, typed, and nothing of Express. */
export type Input<Id extends OperationId> = {
  readonly operation: Routed<Id>;
  readonly principal: Id extends PublicOperationId ? undefined : Principal;
  readonly path: Part<Id, "path">;
  readonly query: WithDefaults<Part<Id, "query">, (typeof described)[Id]["defaultedParameters"][number]>;
  readonly header: Part<Id, "header">;
  readonly body: Content<operations[Id] extends { requestBody: infer B } ? B : never, Readable>;
  /** Tells the client, while its upload still arrives, where to resume it should the connection break. */
  announceUpload(upload: ResumableUpload): void;
  /** Aborted when the client has gone away before the answer was sent. */
  readonly signal: AbortSignal;
};

type HeadersOf<R, D = Declared<R extends { headers: infer H } ? H : Nothing>> = Nothing extends D
  ? { readonly headers?: keyof D extends never ? never : D }
  : { readonly headers: D };
type Reply<S, R> = {
  readonly status: S;
  /** Called when the answer goes out whole; a client that asks with HEAD gets its headers only. */
  readonly onSend?: () => void;
} & ([Content<R, Download>] extends [undefined] ? { readonly body?: never } : { readonly body: Content<R, Download> }) &
  HeadersOf<R>;

/** The declared successes of one operation, with the headers each of them must carry. Failures are thrown. */
export type Output<Id extends OperationId> = {
  [S in keyof operations[Id]["responses"] & Success]: Reply<S, operations[Id]["responses"][S]>;
}[keyof operations[Id]["responses"] & Success];

export type Handler<Id extends OperationId> = (input: Input<Id>) => Promise<Output<Id>>;

/** All of the contract: a missing, extra, renamed or wrongly typed handler does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

type Tag = (typeof described)[OperationId]["tag"];
/** One area's share of the contract: all operations that carry one of its tags. */
export type Operations<T extends Tag> = Pick<
  Handlers,
  { [Id in OperationId]: (typeof described)[Id]["tag"] extends T ? Id : never }[OperationId]
>;
