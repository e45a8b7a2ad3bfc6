import { compareContracts } from "./compare.ts";
import type { Contract } from "./document.ts";
import type { Exception } from "./exceptions.ts";
import type { Change } from "./change.ts";
import { byImpact, compareVersions, mostSevere, nextVersion, type Impact } from "./versions.ts";

export type Assessment = {
  readonly changes: readonly Change[];
  /** The impact of all changes together; null without a change. */
  readonly needed: Impact | null;
  readonly lowestVersion: string;
  readonly isVersionEnough: boolean;
  /** Exceptions that match no change. They could match a later change by accident. */
  readonly unused: readonly string[];
};

/** A change as one line, in reports and exceptions. */
export const lineOf = ({ subject, what }: Change): string => `${subject}: ${what}`;

/** Compares a contract with a released one, and decides whether its version is high enough. */
export async function assess(base: Contract, revision: Contract, exceptions: readonly Exception[] = []): Promise<Assessment> {
  const rated = (await compareContracts(base, revision)).map((it) => ({
    ...it,
    impact: exceptions.find(({ change }) => change === lineOf(it))?.impact ?? it.impact,
  }));
  const changes = rated.sort((one, other) => byImpact(one.impact, other.impact));
  const needed = mostSevere(changes.map((it) => it.impact));
  const lowestVersion = needed === null ? base.info.version : nextVersion(base.info.version, needed);
  const lines = new Set(changes.map(lineOf));
  return {
    changes,
    needed,
    lowestVersion,
    isVersionEnough: compareVersions(revision.info.version, lowestVersion) >= 0,
    unused: exceptions.map((it) => it.change).filter((it) => !lines.has(it)),
  };
}

/** The assessment as text. */
export function reportOf(
  base: Contract,
  revision: Contract,
  { changes, needed, lowestVersion, isVersionEnough, unused }: Assessment,
): string {
  const lines = changes.map((it) => `  ${it.impact.padEnd(5)}  ${lineOf(it)}`);
  const head =
    changes.length === 0 ? `The contract has not changed since ${base.info.version}.` : `Changes since ${base.info.version}:`;
  const conclusion =
    needed === null && isVersionEnough
      ? []
      : [
          `These changes need a ${needed ?? "patch"} version, ${lowestVersion} or higher. The contract says ${revision.info.version}${isVersionEnough ? "." : ": raise info.version in openapi/openapi.yaml, or undo the changes."}`,
        ];
  return [head, ...lines, ...conclusion, ...unused.map((it) => `compat-exceptions.yaml: no change has the line "${it}".`)].join(
    "\n",
  );
}
