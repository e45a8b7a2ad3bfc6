import { StartupError } from "../../src/util/startup-error.ts";
import { isUuid } from "../../src/util/uuid.ts";

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Parses an id. */
export function idIn(text: string): string {
  if (!isUuid(text)) throw new StartupError(`${text} is not an id, which is a UUID in lower case.`);
  return text;
}

/** Parses the id of a key, alone or as in `plumb_<id>_…`. */
export function keyIdIn(text: string): string {
  const [, id] = /^(?:plumb_)?([a-z0-9]{12})(?:_.*)?$/.exec(text) ?? [];
  if (id === undefined) throw new StartupError(`${text} is not the id of a key: twelve letters and digits.`);
  return id;
}

/** The keys that an id names: all keys of a user, or one key. */
export const keysIn = (text: string) => (isUuid(text) ? { userId: text, keyId: null } : { userId: null, keyId: keyIdIn(text) });

/** Parses a time with a zone. */
export function timeIn(text: string): Date {
  // With an offset, a time can be in the year 10000, which the API can't express.
  const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && new Date(text).getUTCFullYear() < 10_000;
  if (!isTime) throw new StartupError(`${text} is not a time such as 2026-11-30T12:00:00Z.`);
  return new Date(text);
}

/** Parses a time as PostgreSQL writes it. Without a zone, it is local. */
export function localTimeIn(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new StartupError(`${text} is not a time.`);
  return time;
}

/** The seconds of a duration such as 90s, 30m, 24h or 7d. */
export function secondsIn(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new StartupError(`${text} is not a duration such as 90s, 30m, 24h or 7d.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** A number of items, at least one. */
export function countIn(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StartupError(`${text} is not a number of items.`);
  return Number(text);
}

/** Refuses an irreversible change without confirmation. The sentence describes the effect. */
export function requireYes(yes: boolean, sentence: string): void {
  if (!yes) throw new StartupError(`${sentence} Nothing was changed. Add --yes to do it.`);
}

/** A duration for people, such as 5 s, 12 min or 3 h. */
export function ageOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}
