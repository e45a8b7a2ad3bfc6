import { missingProgram } from "./commands.ts";
import type { Generator } from "./generators.ts";

/** Why a generator was not tried, and whether CI accepts that. It accepts only a missing compiler that it can't install. */
export type Skip = { readonly reason: string; readonly isAccepted: boolean };

/** What keeps this machine from trying a generator, if anything does. */
export function obstacleTo(
  { name, needs, compiler }: Pick<Generator, "name" | "needs" | "compiler">,
  findMissing: typeof missingProgram = missingProgram,
): Skip | null {
  const program = findMissing(needs);
  if (program !== undefined) return { reason: `SKIPPED ${name}: no ${program} on PATH`, isAccepted: false };
  if (compiler === undefined || findMissing([compiler]) === undefined) return null;
  return { reason: `SKIPPED ${name}: no compiler ${compiler} on PATH`, isAccepted: true };
}

/** Whether CI fails because of what was skipped. */
export const refusesIn = (skipped: readonly Skip[]): boolean => skipped.some((it) => !it.isAccepted);
