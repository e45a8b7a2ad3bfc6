import { refusedInput } from "../failure.ts";

/** The retention of clicks in days, including today. */
export const RETENTION_DAYS = 400;
const DAYS_BY_DEFAULT = 30;
const DAY_MS = 86_400_000;

/** A day in UTC, such as `2026-11-18`. */
export type Day = string;
export type Days = { readonly from: Day; readonly to: Day };

export const dayOf = (at: Date): Day => at.toISOString().slice(0, 10);
const daysAfter = (day: Day, count: number): Day => dayOf(new Date(Date.parse(day) + count * DAY_MS));

/** The requested days, by default the last 30. Refuses days before the retention, and future days. */
export function chosenDays({ from, to }: Partial<Days>, today: Day = dayOf(new Date())): Days {
  const oldest = daysAfter(today, 1 - RETENTION_DAYS);
  const last = checked("to", to ?? today, oldest, today);
  const byDefault = daysAfter(last, 1 - DAYS_BY_DEFAULT);
  const first = checked("from", from ?? (byDefault > oldest ? byDefault : oldest), oldest, today);
  if (first > last) throw refused("from", `from must not be after to, which is ${last}.`);
  return { from: first, to: last };
}

/** All days of a range. */
export function eachDay({ from, to }: Days): Day[] {
  const days = [from];
  while (days.at(-1)! < to) days.push(daysAfter(days.at(-1)!, 1));
  return days;
}

function checked(name: "from" | "to", day: Day, oldest: Day, today: Day): Day {
  // Date converts 30 February to 2 March.
  if (Number.isNaN(Date.parse(day)) || daysAfter(day, 0) !== day) throw refused(name, `${name} must be a day of the calendar.`);
  if (day < oldest) throw refused(name, `${name} must be ${oldest} or later, because the clicks of earlier days are not kept.`);
  if (day > today) throw refused(name, `${name} must be ${today} or earlier, which is today in UTC.`);
  return day;
}

const refused = (name: "from" | "to", detail: string) =>
  refusedInput("days_not_available", { in: "query", pointer: `/${name}`, detail });
