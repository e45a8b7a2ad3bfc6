// Patterns that every validator reads the same way, in linear time.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const flaws = new Map();

/**
 * What is wrong with a pattern, or undefined. A pattern is anchored at both ends, and every engine needs linear time for
 * any text. recheck decides that exactly; patterns that it can't decide, such as those with lookahead, are refused.
 */
export function flawOfPattern(pattern) {
  if (!flaws.has(pattern)) flaws.set(pattern, isAnchored(pattern) ? slowness(pattern) : "it must begin with ^ and end with $");
  return flaws.get(pattern);
}

function slowness(pattern) {
  // Loaded on first use, because bundling needs no rules. This build is plain JavaScript and needs no native program.
  const { checkSync } = require("recheck/lib/browser.js");
  const { status, complexity, error } = checkSync(pattern, "u", { checker: "automaton", timeout: 60_000 });
  if (status === "vulnerable") return `it could take ${complexity.summary} time`;
  return status === "safe" ? undefined : `recheck can't tell how long it takes (${error.kind})`;
}

/** Alternatives outside of parentheses would have one anchor each. */
function isAnchored(pattern) {
  let rest = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, "");
  while (/\([^()]*\)/.test(rest)) rest = rest.replaceAll(/\([^()]*\)/g, "");
  return /^\^[^|]*\$$/.test(rest);
}
