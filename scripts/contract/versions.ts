/** How a change affects the users of the contract, as defined in openapi/COMPATIBILITY.md. */
export type Impact = "major" | "minor" | "patch";

const RANK: Readonly<Record<Impact, number>> = { patch: 1, minor: 2, major: 3 };

/** Whether a value from a file is an impact. */
export const isImpact = (value: unknown): value is Impact => typeof value === "string" && Object.hasOwn(RANK, value);

/** The most severe of some impacts, or null if there are none. */
export function mostSevere(impacts: readonly Impact[]): Impact | null {
  return impacts.reduce<Impact | null>((worst, it) => (rankOf(it) > (worst === null ? 0 : rankOf(worst)) ? it : worst), null);
}

/** Sorts the most severe first. */
export const byImpact = (one: Impact, other: Impact): number => rankOf(other) - rankOf(one);

/** An unknown impact is an error, because any comparison with undefined is false. */
function rankOf(impact: Impact): number {
  if (!isImpact(impact)) throw new Error(`"${String(impact)}" is not an impact: major, minor or patch.`);
  return RANK[impact];
}

/** Whether a text is `MAJOR.MINOR.PATCH`. */
export const isVersion = (text: string): boolean => /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(text);

/** Below 0 if `one` is the older version, 0 if they are equal. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [parts(one), parts(other)];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

/** The lowest version that can follow `version` after changes of this impact. */
export function nextVersion(version: string, impact: Impact): string {
  const [major, minor, patch] = parts(version);
  if (impact === "major") return `${major + 1}.0.0`;
  return impact === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function parts(version: string): [number, number, number] {
  if (!isVersion(version)) throw new Error(`"${version}" is not a version of the form MAJOR.MINOR.PATCH.`);
  return version.split(".").map(Number) as [number, number, number];
}
