import { randomInt } from "node:crypto";

/** Random integers from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Random integers that a later run can repeat: this prints the seed, and TEST_SEED sets it. */
export function seededRandom(purpose: string): Random {
  const seed = Number(process.env["TEST_SEED"] ?? randomInt(2 ** 31));
  process.stderr.write(`${purpose}: TEST_SEED=${seed}\n`);
  return randomOf(seed);
}

/** The random integers of a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
