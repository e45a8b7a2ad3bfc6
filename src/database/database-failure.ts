import { types } from "node:util";
import { Failure, unavailable } from "../failure.ts";

/** The SQLSTATE of a PostgreSQL error. Prisma and the driver keep it in different properties. */
export function sqlState(error: unknown): string | undefined {
  const it = error as {
    code?: unknown;
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown; code?: unknown } } };
    cause?: { originalCode?: unknown; code?: unknown };
  };
  const candidates = [it.meta?.driverAdapterError?.cause?.originalCode, it.cause?.originalCode, it.cause?.code, it.code];
  return candidates.find(
    (code): code is string => typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("P"),
  );
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

/** Two transactions conflicted. A retry may succeed. */
export const isSerializationFailure = (error: unknown) =>
  codeOf(error) === "P2034" || ["40001", "40P01"].includes(sqlState(error) ?? "");

/** A unique index refused the row. */
export const isUniqueViolation = (error: unknown) => codeOf(error) === "P2002" || sqlState(error) === "23505";

/** Another session held the lock for longer than `lock_timeout`: any lock, or one on a table, which only the driver names. */
export const isLockTimeout = (error: unknown, table = "") =>
  sqlState(error) === "55P03" && ((error as { where?: string }).where ?? "").includes(table);

/** Why PostgreSQL or the connection to it failed, as the end of a sentence, without the full stop. */
export function reasonOf(error: unknown): string {
  // The error for a host with several addresses has a code and no message.
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || "no answer").replace(/\s+/g, " ").trim().replace(/\.$/, "");
}

const UNAVAILABLE_CODES = /^(P1001|P1002|P1008|P1017|P2024|P2028|P2034|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE)$/;
const UNAVAILABLE_STATES = /^(08|53|57|40|25006|55P03)/;
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable|Server has closed the connection|Can't reach database server|ECONNREFUSED|ECONNRESET/;

/**
 * Translates a database error for the client: the database is unavailable, or it cannot store a character of the request.
 * Returns null for any other error, which is a defect of the service.
 */
export function databaseFailure(error: unknown): Failure | null {
  if (!types.isNativeError(error) || error instanceof Failure) return null;
  const state = sqlState(error);
  if (state === "22021" || state === "22P05")
    return new Failure("validation_failed", "The request contains a character that can't be stored.", { cause: error });
  const isUnavailable =
    UNAVAILABLE_CODES.test(String(codeOf(error))) ||
    (state !== undefined && UNAVAILABLE_STATES.test(state)) ||
    UNAVAILABLE_MESSAGES.test(error.message);
  return isUnavailable ? unavailable(error) : null;
}
