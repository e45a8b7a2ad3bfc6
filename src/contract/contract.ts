import type { Readable } from "node:stream";
import type { components, operations, webhooks } from "#generated/openapi.d.ts";
import type { operations as described } from "#generated/operations.ts";

export type { ProblemCode } from "#generated/problems.ts";

/** The contract as types. Only this file depends on the structure of `openapi.d.ts`. */
export type OperationId = Exclude<keyof operations, `receive${string}`>;
export type Schemas = components["schemas"];

/** The events that the service sends to webhook endpoints, and their bodies. */
export type EventType = keyof webhooks;
export type EventBody<Type extends EventType> = webhooks[Type]["post"]["requestBody"]["content"]["application/json"];

/** The authenticated user, as the credential of the request describes it. */
export type Principal = {
  readonly userId: string;
  readonly displayName: string;
  readonly scopes: ReadonlySet<string>;
  readonly credential: {
    readonly kind: "api_key" | "jwt";
    /** The id of the API key, which is not secret. */
    readonly keyId: string | null;
    readonly expiresAt: Date | null;
  };
};

/** The operations that require no credential. */
export type PublicOperationId = {
  [Id in OperationId]: (typeof described)[Id]["scopes"] extends null ? Id : never;
}[OperationId];

/** Headers that the HTTP layer adds. */
type SentByHttp =
  | "Consistency-Token"
  | "X-Request-Id"
  | "API-Version"
  | "RateLimit"
  | "RateLimit-Policy"
  | "Link"
  | "Cache-Control"
  | "Deprecation"
  | "Sunset";

type Success = 200 | 201 | 202 | 204 | 206 | 302;
type Nothing = Readonly<Record<never, never>>;
/** openapi-typescript adds an index signature to each headers object. Removes it and the headers that the HTTP layer sends. */
type Declared<T> = { [K in keyof T as string extends K ? never : K extends SentByHttp ? never : K]: T[K] };
/** The bytes of a response. */
export type Download = {
  readonly contentType: string;
  /** Called only if the bytes are sent: not for HEAD, and not for 304. */
  open(): Promise<Readable>;
  /** When the permission to read the bytes ends: none are sent or cached after that. */
  readonly endsAt?: Date;
};
type Content<T, Bytes> = T extends { content: { "application/json": infer B } }
  ? B
  : T extends { content: object }
    ? Bytes
    : undefined;
type OrNothing<T> = [T] extends [never] ? Nothing : T;
type Part<Id extends OperationId, In extends "path" | "query" | "header"> = OrNothing<
  NonNullable<operations[Id]["parameters"][In]>
>;

/** Parameters with a default are always present. */
type WithDefaults<Q, Defaulted> = Q & Required<Pick<Q, keyof Q & Defaulted>>;

/** A video upload that can be resumed: its path, and its limits as the value of `Upload-Limit`. */
export type ResumableUpload = { readonly location: string; readonly limit: string };

declare const routed: unique symbol;
/**
 * The operation of a routed request, which is part of the context of cursors and idempotency keys. Only the router creates values of this
 * type; a string literal does not compile.
 */
export type Routed<Id extends OperationId = OperationId> = Id & { readonly [routed]: true };

/** The input of a handler: validated, typed, and independent of Express. */
export type Input<Id extends OperationId> = {
  readonly operation: Routed<Id>;
  readonly principal: Id extends PublicOperationId ? undefined : Principal;
  readonly path: Part<Id, "path">;
  readonly query: WithDefaults<Part<Id, "query">, (typeof described)[Id]["defaultedParameters"][number]>;
  readonly header: Part<Id, "header">;
  readonly body: Content<NonNullable<operations[Id]["requestBody"]>, Readable>;
  /** Sends an interim response (104) with the URL at which to resume the upload. */
  announceUpload(upload: ResumableUpload): void;
  /** Sends an interim response with the number of bytes that are stored. */
  announceOffset(offset: number): void;
  /** Throws an error if the response doesn't match the contract. For responses that are stored before they are sent. */
  checkResponse(status: number, body: unknown): void;
};

type HeadersOf<R, D = Declared<R extends { headers: infer H } ? H : Nothing>> = Nothing extends D
  ? { readonly headers?: keyof D extends never ? never : D }
  : { readonly headers: D };
type Reply<S, R> = {
  readonly status: S;
  /** Called before the response is sent, except to a HEAD request. */
  readonly onSend?: () => void;
} & ([Content<R, Download>] extends [undefined] ? { readonly body?: never } : { readonly body: Content<R, Download> }) &
  HeadersOf<R>;

/** The successful responses that an operation declares, with their required headers. Handlers throw failures. */
export type Output<Id extends OperationId> = {
  [S in keyof operations[Id]["responses"] & Success]: Reply<S, operations[Id]["responses"][S]>;
}[keyof operations[Id]["responses"] & Success];

/** The output of any operation. */
export type AnyOutput = {
  readonly status: number;
  readonly headers?: object;
  readonly body?: unknown;
  readonly onSend?: () => void;
  /** Whether the response was stored before, maybe by another version of the service. */
  readonly isStored?: boolean;
};
/** A handler of any operation. */
export type AnyHandler = (input: unknown) => Promise<AnyOutput>;

export type Handler<Id extends OperationId> = (input: Input<Id>) => Promise<Output<Id>>;

/** The handlers of all operations: a missing, extra, renamed or wrongly typed handler does not compile. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

type Tag = (typeof described)[OperationId]["tag"];
/** The handlers of all operations with a tag. */
export type Operations<T extends Tag> = Pick<
  Handlers,
  { [Id in OperationId]: (typeof described)[Id]["tag"] extends T ? Id : never }[OperationId]
>;
