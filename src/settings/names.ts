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

/** How many characters were left out, added, replaced, or swapped with the next one (optimal string alignment distance). */
function mistakesBetween(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforeLast[j - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
