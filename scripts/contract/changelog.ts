import { lineOf, type Assessment } from "./assessment.ts";
import type { Change } from "./change.ts";

const BLANK = "…";

/** The text of the entry for a version, without its heading, or null if there is none. */
export function entryOf(changelog: string, version: string): string | null {
  const entry = changelog.split(/^(?=## )/m).find((it) => it.startsWith(`## ${version}\n`));
  return entry?.slice(entry.indexOf("\n")).trim() ?? null;
}

/**
 * Writes the date of release, in UTC, as the first line of a version's entry, instead of an earlier date or "Not released yet.".
 */
export function withDate(changelog: string, version: string, releasedAt: Date): string {
  const line = `Released on ${releasedAt.toISOString().slice(0, 10)}.`;
  return changelog.replace(
    new RegExp(`^(## ${version.replaceAll(".", "\\.")}\n\n)(?:(?:Released on \\S+|Not released yet\\.)\n\n)?`, "m"),
    (_all, heading: string) => `${heading}${line}\n\n`,
  );
}

/** The points of an entry without the affected clients or the action. */
export function blanksIn(entry: string): string[] {
  const points = entry
    .split(/^- /m)
    .slice(1)
    .map((it) => it.replaceAll(/\s+/g, " ").trim());
  if (points.length === 0) return ["The entry has no points."];
  const isComplete = new RegExp(`^\\*\\*.+\\*\\* Affects (?!${BLANK})\\S.* Action: (?!${BLANK})\\S`);
  return points.filter((it) => !isComplete.test(it));
}

/** The changelog with an entry to complete: a point for each change, the most severe first. */
export function withSkeleton(changelog: string, version: string, { changes }: Assessment): string {
  const visible = changes.filter((it) => it.impact !== "patch");
  const points = [...Map.groupBy(visible, (it) => it.subject)].map(
    ([subject, same]) => `${subject}: ${same.map((it) => it.what).join("; ")}`,
  );
  if (points.length === 0)
    points.push(
      changes.length === 0 ? "The contract has not changed." : `Reworded: ${changes.map((it: Change) => lineOf(it)).join("; ")}`,
    );
  const entry = [`## ${version}`, "", ...points.map((it) => `- **${it}.** Affects ${BLANK} Action: ${BLANK}`), "", ""].join("\n");
  const first = changelog.search(/^## /m);
  return first === -1
    ? `${changelog.trimEnd()}\n\n${entry.trimEnd()}\n`
    : changelog.slice(0, first) + entry + changelog.slice(first);
}
