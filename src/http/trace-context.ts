import type { IncomingMessage } from "node:http";

/** W3C Trace Context, 3.2. A later version may add fields, and version ff is invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/;
const LENGTH_OF_00 = 55;

/** The trace id in the `traceparent` header, or null if the header is missing or not valid. */
export const traceIdInHeader = ({ headers }: IncomingMessage): string | null => {
  const given = headers["traceparent"];
  if (typeof given !== "string") return null;
  const [, version, traceId] = TRACEPARENT.exec(given) ?? [];
  return traceId === undefined || (version === "00" && given.length !== LENGTH_OF_00) ? null : traceId;
};
