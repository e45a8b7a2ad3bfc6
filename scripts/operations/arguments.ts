import { UsageError } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { isUuid } from "../../src/util/uuid.ts";

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Parses an id. */
export function idIn(text: string | undefined): string {
  if (text === undefined || !isUuid(text)) throw new UsageError();
  return text;
}

/** The seconds of a duration such as 90s, 30m, 24h or 7d. */
export function secondsIn(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new StartupError(`${text} is not a duration such as 90s, 30m, 24h or 7d.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** A number of items, at least one. */
export function countIn(text: string | undefined): number {
  if (text === undefined) return Infinity;
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
