import TestSequencer from "@jest/test-sequencer";

/** Parts of the paths of files that take longer than their size suggests. */
const LONG = [
  "rolling-restarts",
  "hostile-videos",
  "code-samples",
  "attacks/",
  "fuzz.",
  "dearest-requests",
  "at-a-million",
  "compat.slow",
  "lint.slow",
];

/**
 * Starts the longest files first, so that all workers finish at about the same time. Jest orders files by their last duration,
 * but in a fresh clone it knows only their size.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path, duration }) => duration === undefined && LONG.some((it) => path.includes(it));
    return [...sorted.filter(isLong), ...sorted.filter((it) => !isLong(it))];
  }
}
