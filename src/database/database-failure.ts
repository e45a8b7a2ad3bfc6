import { types } from "node:util";
import { Failure, unavailable } from "../failure.ts";

/** What PostgreSQL says of an error. Prisma and the driver keep it in different properties. */
type Said = { code?: unknown; originalCode?: unknown; kind?: unknown; constraint?: string | { index?: string } };
type Raised = Said & { cause?: Said; meta?: { driverAdapterError?: { cause?: Said } } };
const saidIn = (error: unknown) => [(error as Raised).meta?.driverAdapterError?.cause, (error as Raised).cause, error as Raised];

/** The SQLSTATE of a PostgreSQL error. */
export function sqlState(error: unknown): string | undefined {
  const isState = (code: unknown) => typeof code === "string" && /^(?!P)[0-9A-Z]{5}$/.test(code);
  return saidIn(error)
    .flatMap((it) => [it?.originalCode, it?.code])
    .find(isState) as string | undefined;
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

/** Two transactions conflicted. A retry may succeed. */
export const isSerializationFailure = (error: unknown) =>
  codeOf(error) === "P2034" || ["40001", "40P01"].includes(sqlState(error) ?? "");

/** Citus could not connect to a worker. The session, whose end would be a fatal error, is whole. */
export const isOfAnotherNode = (error: unknown) =>
  types.isNativeError(error) && (error as { severity?: string }).severity === "ERROR" && /^08/.test(sqlState(error) ?? "");

/** A unique index refused the row. */
export const isUniqueViolation = (error: unknown) => codeOf(error) === "P2002" || sqlState(error) === "23505";

/** Another session held the lock for longer than `lock_timeout`: any lock, or one on a table, which only the driver names. */
export const isLockTimeout = (error: unknown, table = "") =>
  sqlState(error) === "55P03" && ((error as { where?: string }).where ?? "").includes(table);

const FOREIGN_KEY_VIOLATION = "23503";
/** The foreign keys to `users` in the rows that a request inserts for its own user. A test compares them with the database. */
const OF_THE_CALLER = /^(?!webhook_deliveries_).*_(owner_id|author_id|sender_id|created_by)_fkey$|^storage_usage_user_id_fkey$/;
/** Those in rows for other users, who were there a moment ago. */
const OF_OTHERS = /^((members|former_members|listed_conversations|notifications)_user_id|webhook_deliveries_owner_id)_fkey$/;

/** The foreign key that refused a row. On a distributed database, its name ends with the number of the shard. */
function refusedBy(error: unknown): string {
  if (sqlState(error) !== FOREIGN_KEY_VIOLATION) return "";
  const names = saidIn(error).map((it) => (typeof it?.constraint === "object" ? it.constraint.index : it?.constraint));
  return names.find((name) => name !== undefined)?.replace(/_\d+$/, "") ?? "";
}

/** The user of the request was removed while it ran, so nothing of it was stored. */
export const isUserGone = (error: unknown) => OF_THE_CALLER.test(refusedBy(error));

/** Why PostgreSQL or the connection to it failed, as the end of a sentence, without the full stop. */
export function reasonOf(error: unknown): string {
  // The error for a host with several addresses has a code and no message.
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || "no answer").replace(/\s+/g, " ").trim().replace(/\.$/, "");
}

const UNAVAILABLE_CODES =
  /^(P1001|P1002|P1008|P1011|P1017|P2024|P2028|P2034|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What OpenSSL and Node say about a certificate that can't be verified. */
const TLS_CODES =
  /^(CERT_|CRL_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$)|SELF_SIGNED|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)$/;
/** What the driver adapter says of a connection without an SQLSTATE. Prisma turns these into codes, but not at COMMIT. */
const UNAVAILABLE_KINDS = ["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TlsConnectionError"];
/** Those of connections, resources, operators and conflicts, of a transaction that took too long, and of a disk that fails. */
const UNAVAILABLE_STATES = /^(08|53|57|40|25006|25P03|25P04|55P03|58030)/;
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Server has closed the connection|Can't reach database server|ECONNREFUSED|ECONNRESET/;

/**
 * What Citus says, with the state of an internal error, if a worker or the server itself has died, or if a shard was split after the
 * statement was planned: its own words, and those of libpq about a connection that a session has kept.
 */
const LOST_NODE =
  /could not find valid entry for shard|failure on connection marked as essential|postmaster (was shut down|exit)|connection to the remote node|server closed the connection|connection has been closed|could not (receive data from|send data to) server|no connection to the server|connection not open|SSL SYSCALL error|failed to (send|complete) COPY/;

/**
 * Translates a database error for the client: the database is unavailable, it cannot store a character of the request, or the
 * user has just been deleted.
 * Returns null for any other error, which is a defect of the service.
 */
export function databaseFailure(error: unknown): Failure | null {
  if (!types.isNativeError(error) || error instanceof Failure) return null;
  const state = sqlState(error);
  if (state === "22021" || state === "22P05")
    return new Failure("validation_failed", "The request contains a character that can't be stored.", { cause: error });
  if (isUserGone(error)) return new Failure("invalid_token", "The user of this token was deleted.", { cause: error });
  const isUnavailable =
    OF_OTHERS.test(refusedBy(error)) ||
    UNAVAILABLE_CODES.test(String(codeOf(error))) ||
    TLS_CODES.test(String(codeOf(error))) ||
    saidIn(error).some((it) => UNAVAILABLE_KINDS.includes(String(it?.kind))) ||
    (state !== undefined && UNAVAILABLE_STATES.test(state)) ||
    UNAVAILABLE_MESSAGES.test(error.message) ||
    (state === "XX000" && LOST_NODE.test(error.message));
  return isUnavailable ? unavailable(error) : null;
}
