/** A client that sends or reads less than this within `IDLE_TIMEOUT_SECONDS` holds a connection for nothing. */
export const MIN_PROGRESS_BYTES = 64 * 1024;
