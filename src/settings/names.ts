import leven from "leven";

/** The allowed typing errors of a name, from a length on. */
const MISTAKES_MAX = [
  { length: 8, mistakes: 1 },
  { length: 10, mistakes: 2 },
] as const;

/** An ignored environment variable, and the setting with a similar name. */
export type Misspelt = { readonly name: string; readonly meant: string };

/** The variables with almost the name of a setting. */
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

/** The number of omitted, added, replaced or swapped characters. `leven` counts a swap as 2. */
const mistakesBetween = (a: string, b: string) => Math.ceil((leven(a, b) + Math.max(missingIn(a, b), missingIn(b, a))) / 2);

/** How many characters of `b` are missing in `a`. */
const missingIn = (a: string, b: string) => [...a].reduce((rest, it) => rest.replace(it, ""), b).length;
