/** For how long a receiver asks to be left alone, in seconds: what `Retry-After` says, a number or a date (RFC 9110, 10.2.3). 0 without it. */
export function retryAfterSeconds(value: string | null, nowMs = Date.now()): number {
  if (value === null) return 0;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? 0 : Math.max(0, (atMs - nowMs) / 1_000);
}
