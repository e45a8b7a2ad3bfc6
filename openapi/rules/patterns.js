// Patterns that leave a validator nothing to guess.
import { overlap } from "./classes.js";

/**
 * Why a pattern is not certain to take linear time, or undefined when it is. It is certain when the pattern is anchored
 * at both ends and, whatever has been read, the next character allows one way to go on at most: then a backtracking
 * engine has nothing to try again. (XML Schema asks the same of content models, as "unique particle attribution".) Some
 * harmless patterns are refused with the harmful ones, but the answer is exact and does not depend on the machine or on
 * guessing the worst text, as a measurement would.
 */
export function guessIn(pattern) {
  const tokens = pattern.match(TOKEN) ?? [];
  if (tokens.shift() !== "^" || tokens.pop() !== "$") return "it must begin with ^ and end with $";
  try {
    const follow = [];
    const whole = parse(tokens, follow);
    for (const choice of [whole.first, ...follow]) {
      const clash = firstClash(choice);
      if (clash) return `after the same text both ${clash[0]} and ${clash[1]} may come`;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

class Refusal extends Error {}

const TOKEN =
  /\\u\{[^}]+\}|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\p\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/giu;
const UNUSUAL = /^(\(\?(=|!|<=|<!)|\\[bBk1-9]|[\^$])/;
const QUANTIFIER = /^([*+?]|\{(?:(\d+)|\d+,\d*)\})\??$/;

/**
 * Reads a pattern into what its parts can begin and end with (Glushkov's construction). Each character or class gets a
 * place in `follow`, which lists all that may come after it, once for each way to get there.
 */
function parse(tokens, follow) {
  let at = 0;
  const whole = sequence();
  if (tokens[at] === "|") throw new Refusal("^ and $ do not hold for all alternatives without parentheses");
  if (at < tokens.length) throw new Refusal(`${tokens[at]} is out of place`);
  return whole;

  function alternatives() {
    const branches = [sequence()];
    while (tokens[at] === "|") {
      at += 1;
      branches.push(sequence());
    }
    if (branches.filter((it) => it.empty).length > 1) throw new Refusal("two alternatives may be empty");
    return {
      empty: branches.some((it) => it.empty),
      first: branches.flatMap((it) => it.first),
      last: branches.flatMap((it) => it.last),
    };
  }

  function sequence() {
    let all = { empty: true, first: [], last: [] };
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") {
      all = joined(all, repeated());
    }
    return all;
  }

  function joined(one, next) {
    for (const { index } of one.last) follow[index].push(...next.first);
    return {
      empty: one.empty && next.empty,
      first: one.empty ? [...one.first, ...next.first] : one.first,
      last: next.empty ? [...one.last, ...next.last] : next.last,
    };
  }

  function part() {
    const token = tokens[at++];
    // A quantifier where a part should be belongs to a kind of group that TOKEN does not know, such as (?i:…).
    if (token === undefined || UNUSUAL.test(token) || QUANTIFIER.test(token)) {
      throw new Refusal(`${token} is not among the means that this check understands`);
    }
    if (token.startsWith("(")) {
      const group = alternatives();
      at += 1;
      return group;
    }
    const place = { text: token, index: follow.push([]) - 1 };
    return { empty: false, first: [place], last: [place] };
  }

  function repeated() {
    const start = at;
    let body = part();
    const [, quantifier, count] = QUANTIFIER.exec(tokens[at] ?? "") ?? [];
    if (quantifier === undefined) return body;
    const end = at + 1;
    if (/^\{0+(,0+)?\}$/.test(quantifier)) throw new Refusal(`${quantifier} repeats nothing`);
    if (body.empty) throw new Refusal(`${quantifier} repeats something that may be empty`);
    if (count !== undefined) {
      for (let copies = 1; copies < Number(count); copies += 1) {
        at = start;
        body = joined(body, part());
      }
    } else if (quantifier !== "?") {
      // A range of counts is taken for a loop: counting can only rule out ways to go on.
      joined(body, body);
    }
    at = end;
    return /^([*?]|\{0+,)/.test(quantifier) ? { ...body, empty: true } : body;
  }
}

/** Two entries that a single character can stand for; one entry twice is two ways to the same place. */
function firstClash(choice) {
  for (const [at, one] of choice.entries()) {
    for (const other of choice.slice(at + 1)) {
      if (one === other || overlap(one.text, other.text)) return [one.text, other.text];
    }
  }
}
