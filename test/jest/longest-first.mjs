import TestSequencer from "@jest/test-sequencer";

/** Parts of the paths of files that take longer than their size suggests, the longest first. */
const LONG = [
  "clips.slow",
  "plans.slow",
  "attacks/",
  "media-",
  "docs-page",
  "rolling-restarts",
  "citus-faults",
  "previous-release",
  "workers.slow",
  "scheduling.slow",
  "/backup.slow",
  "random-lives",
  "store.slow",
  "dearest-requests",
  "history.slow",
  "play-in-a-browser",
  "start-and-stop",
  "fuzz.",
  "contract/limits",
  "contract/refusals",
  "webhooks/",
  "concurrently",
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
