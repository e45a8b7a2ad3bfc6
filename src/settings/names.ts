import leven from "leven";

/** From this length on, a name can have this many typing errors and still mean only one thing. */
const MISTAKES_MAX = [
  { length: 8, mistakes: 1 },
  { length: 10, mistakes: 2 },
] as const;

/** A variable of the environment that is ignored, and the setting whose name it resembles. */
export type Misspelt = { readonly name: string; readonly meant: string };

/** The variables that are no settings, but have almost the name of one. Variables of other programs are not that similar. */
export function misspeltIn(environment: Readonly<Record<string, unknown>>, settings: readonly string[]): Misspelt[] {
  const names = settings.flatMap((it) => [it, `${it}_FILE`]);
  const others = Object.keys(environment).filter((it) => /^[A-Z0-9_]+$/.test(it) && !names.includes(it));
  return others.flatMap((name) => {
    const [nearest] = names
      .map((meant) => ({ meant, mistakes: mistakesBetween(name, meant) }))
      .filter(({ meant, mistakes }) => mistakes <= allowedIn(meant))
      .sort((a, b) => a.mistakes - b.mistakes);
    return nearest === undefined ? [] : [{ name, meant: nearest.meant }];
  });
}

const allowedIn = ({ length }: string) => MISTAKES_MAX.findLast((it) => length >= it.length)?.mistakes ?? 0;

/** How many characters were left out, added, replaced, or swapped. A swap is 2 for `leven`, but leaves the same characters. */
const mistakesBetween = (a: string, b: string) => Math.ceil((leven(a, b) + Math.max(lacking(a, b), lacking(b, a))) / 2);

/** How many characters of `b` have no counterpart in `a`, wherever they are. */
const lacking = (a: string, b: string) => [...a].reduce((rest, it) => rest.replace(it, ""), b).length;
