import { types } from "node:util";
import { Failure, unavailable } from "../failure.ts";

/** The fields of a PostgreSQL error. Prisma and the driver have them in different properties. */
type ErrorFields = { code?: unknown; originalCode?: unknown; kind?: unknown; constraint?: string | { index?: string } };
type RaisedError = ErrorFields & { cause?: ErrorFields; meta?: { driverAdapterError?: { cause?: ErrorFields } } };
const errorFieldsOf = (error: unknown) => [
  (error as RaisedError).meta?.driverAdapterError?.cause,
  (error as RaisedError).cause,
  error as RaisedError,
];

/** The SQLSTATE of a PostgreSQL error. */
export function sqlState(error: unknown): string | undefined {
  const isState = (code: unknown) => typeof code === "string" && /^(?!P)[0-9A-Z]{5}$/.test(code);
  return errorFieldsOf(error)
    .flatMap((it) => [it?.originalCode, it?.code])
    .find(isState) as string | undefined;
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

/** Two transactions conflicted. A retry may succeed. */
export const isSerializationFailure = (error: unknown) =>
  codeOf(error) === "P2034" || ["40001", "40P01"].includes(sqlState(error) ?? "");

/** Citus could not connect to a worker. The session is intact: its end would be a fatal error. */
export const isWorkerConnectionError = (error: unknown) =>
  types.isNativeError(error) && (error as { severity?: string }).severity === "ERROR" && /^08/.test(sqlState(error) ?? "");

/** A unique index refused the row. */
export const isUniqueViolation = (error: unknown) => codeOf(error) === "P2002" || sqlState(error) === "23505";

/** Another session held a lock for longer than `lock_timeout`. With `table`, a lock on that table, which only the driver reports. */
export const isLockTimeout = (error: unknown, table = "") =>
  sqlState(error) === "55P03" && ((error as { where?: string }).where ?? "").includes(table);

const FOREIGN_KEY_VIOLATION = "23503";
/** Foreign keys to `users` of the rows that a request inserts for its own user. A test compares them with the database. */
const CALLER_FOREIGN_KEYS =
  /^(?!webhook_deliveries_).*_(owner_id|author_id|sender_id|created_by)_fkey$|^storage_usage_user_id_fkey$/;
/** The same for rows of other users, who existed a moment ago. */
const OTHER_USER_FOREIGN_KEYS =
  /^((members|former_members|listed_conversations|notifications)_user_id|webhook_deliveries_owner_id)_fkey$/;

/** The violated foreign key, or "". On Citus, the name in the error ends with the number of the shard. */
function violatedForeignKey(error: unknown): string {
  if (sqlState(error) !== FOREIGN_KEY_VIOLATION) return "";
  const names = errorFieldsOf(error).map((it) => (typeof it?.constraint === "object" ? it.constraint.index : it?.constraint));
  return names.find((name) => name !== undefined)?.replace(/_\d+$/, "") ?? "";
}

/** The user was deleted during the request, so nothing was stored. */
export const isCallerDeleted = (error: unknown) => CALLER_FOREIGN_KEYS.test(violatedForeignKey(error));

/** The reason of an error, as the end of a sentence without the full stop. */
export function reasonOf(error: unknown): string {
  // The error for a host with several addresses has a code and no message.
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || "no answer").replace(/\s+/g, " ").trim().replace(/\.$/, "");
}

const UNAVAILABLE_CODES =
  /^(P1001|P1002|P1008|P1011|P1017|P2024|P2028|P2034|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Codes of OpenSSL and Node for a certificate that can't be verified. */
const TLS_CODES =
  /^(CERT_|CRL_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$)|SELF_SIGNED|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)$/;
/** Connection errors of the driver adapter without an SQLSTATE. Prisma converts them into codes, but not at COMMIT. */
const UNAVAILABLE_KINDS = ["DatabaseNotReachable", "ConnectionClosed", "SocketTimeout", "TlsConnectionError"];
/** SQLSTATEs of connections, resources, shutdowns and conflicts, of transaction timeouts, and of disk failures. */
const UNAVAILABLE_STATES = /^(08|53|57|40|25006|25P03|25P04|55P03|58030)/;
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Server has closed the connection|Can't reach database server|ECONNREFUSED|ECONNRESET/;

/** Messages of Citus and libpq, with the SQLSTATE of internal errors, after the crash of a node, or a shard split during a statement. */
const NODE_FAILURE =
  /could not find valid entry for shard|failure on connection marked as essential|postmaster (was shut down|exit)|connection to the remote node|server closed the connection|connection has been closed|could not (receive data from|send data to) server|no connection to the server|connection not open|SSL SYSCALL error|failed to (send|complete) COPY/;

/** Citus refuses a statement whose tables it finds on different shards, because a split has changed only one of them yet. */
const isSplitMeanwhile = (state: string | undefined, message: string) =>
  state === "0A000" && message.includes("only supported when all distributed tables are co-located");

/** Translates a database error into a failure; null for an error that is a defect of the service. */
export function databaseFailure(error: unknown): Failure | null {
  if (!types.isNativeError(error) || error instanceof Failure) return null;
  const state = sqlState(error);
  if (state === "22021" || state === "22P05")
    return new Failure("validation_failed", "The request contains a character that can't be stored.", { cause: error });
  if (isCallerDeleted(error)) return new Failure("invalid_token", "The user of this token was deleted.", { cause: error });
  const isUnavailable =
    OTHER_USER_FOREIGN_KEYS.test(violatedForeignKey(error)) ||
    UNAVAILABLE_CODES.test(String(codeOf(error))) ||
    TLS_CODES.test(String(codeOf(error))) ||
    errorFieldsOf(error).some((it) => UNAVAILABLE_KINDS.includes(String(it?.kind))) ||
    (state !== undefined && UNAVAILABLE_STATES.test(state)) ||
    UNAVAILABLE_MESSAGES.test(error.message) ||
    isSplitMeanwhile(state, error.message) ||
    (state === "XX000" && NODE_FAILURE.test(error.message));
  return isUnavailable ? unavailable(error) : null;
}
