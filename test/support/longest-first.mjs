import TestSequencer from "@jest/test-sequencer";

/** Parts of the paths of files that take longer than their size suggests, the longest first. */
const LONG = [
  "model.",
  "media-formats",
  "erasure.slow",
  "media-transcode",
  "media-colours",
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
    const rank = ({ path, duration }) => (duration === undefined ? LONG.findIndex((it) => path.includes(it)) : -1);
    const long = sorted.filter((it) => rank(it) !== -1).sort((one, other) => rank(one) - rank(other));
    return [...long, ...sorted.filter((it) => rank(it) === -1)];
  }
}
