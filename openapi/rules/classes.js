// Characters and classes of characters in patterns.

/**
 * Whether a single character fits two parts of a pattern, such as `\d` and `[a-f0-9]`. The answer is exact: the lowest
 * such character, if there is one, is where one of the two begins to match, and all those places are tried.
 */
export function overlap(one, other) {
  const [matchesOne, matchesOther] = [one, other].map(matcher);
  return [...new Set([...borders(one), ...borders(other)])].some((it) => {
    const character = String.fromCodePoint(it);
    return matchesOne.test(character) && matchesOther.test(character);
  });
}

const LAST = 0x10ffff;
const ATOM =
  /\\u\{(?<braced>[\da-f]+)\}|\\u(?<lead>d[89ab][\da-f]{2})\\u(?<trail>d[c-f][\da-f]{2})|\\[ux](?<hex>(?<=u)[\da-f]{4}|(?<=x)[\da-f]{2})|\\c(?<control>[a-z])|\\(?<set>[dsw]|p\{[^}]*\})|\\(?<escaped>.)|(?<plain>.)/gisu;
const ESCAPES = { 0: 0, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Every code point at which a part may begin or cease to match; between two of them it does not change. */
const borders = remembered((text) => {
  const points = [0];
  for (const { 0: whole, groups } of text.matchAll(ATOM)) {
    if (groups.set) points.push(...bordersOfSet(whole));
    else points.push(codePoint(groups), codePoint(groups) + 1);
  }
  return points.filter((it) => it <= LAST);
});

/** Nobody knows the borders of `\p{…}` or `\s` by heart, so all characters are asked, once for each set. */
const bordersOfSet = remembered((set) => {
  const it = matcher(set);
  const points = [];
  let before = false;
  for (let point = 0; point <= LAST; point += 1) {
    const now = it.test(String.fromCodePoint(point));
    if (now !== before) points.push(point);
    before = now;
  }
  return points;
});

function codePoint({ braced, lead, trail, hex, control, escaped, plain }) {
  if (lead) return String.fromCharCode(parseInt(lead, 16), parseInt(trail, 16)).codePointAt(0);
  if (braced ?? hex) return parseInt(braced ?? hex, 16);
  if (control) return control.charCodeAt(0) % 32;
  return ESCAPES[escaped] ?? (escaped ?? plain).codePointAt(0);
}

// The dot with all that it means in any engine.
function matcher(text) {
  return new RegExp(`^(?:${text})$`, "su");
}

function remembered(find) {
  const found = new Map();
  return (key) => {
    if (!found.has(key)) found.set(key, find(key));
    return found.get(key);
  };
}
