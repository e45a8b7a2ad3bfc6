const FIRST_SECONDS = 5;
const FACTOR = 4;
const MAX_SECONDS = 4 * 3_600;
/** Spreads the retries of events that failed at the same time. */
const JITTER = 0.2;

/** The delay in seconds after a number of failed attempts: 5, 20, 80 and so on, up to 4 hours. */
export function retrySeconds(attempts: number, random = Math.random): number {
  const seconds = Math.min(MAX_SECONDS, FIRST_SECONDS * FACTOR ** Math.min(attempts - 1, 10));
  return seconds * (1 - JITTER + 2 * JITTER * random());
}

/** The value of `Retry-After` in seconds: it has a number or a date (RFC 9110, 10.2.3). 0 without one. */
export function retryAfterSeconds(value: string | null, nowMs = Date.now()): number {
  if (value === null) return 0;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? 0 : Math.max(0, (atMs - nowMs) / 1_000);
}
