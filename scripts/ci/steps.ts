import { GATES } from "../check/gates.ts";
import type { Machine } from "./machine.ts";
import { installPrograms } from "./programs.ts";

/** The jobs of hosted CI. The first two report within ten minutes. `night` runs once a day, and only if it is named. */
export const JOBS = ["gates", "tests", "slow", "night"] as const;

export type Step = {
  readonly name: string;
  readonly job: (typeof JOBS)[number];
  /** A command, or a function that changes the machine and returns an exit code. */
  readonly command: readonly string[] | ((machine: Machine) => number);
  /** The user: an ordinary user in a copy of this commit, or root only. By default, the current user in the checkout. */
  readonly user?: "ordinary" | "root";
  /** The name of the results of jest, for counting tests. */
  readonly results?: string;
};

const npm = (...script: readonly string[]) => ["npm", "run", "-s", ...script];
const node = (...file: readonly string[]) => [process.execPath, ...file];

/** Clients in two languages, which also use a service on three nodes. Without Citus, that is skipped. */
const ON_CITUS = ["--citus", "typescript-openapi-fetch", "--citus", "python-openapi-generator"];

const THREE_LANGUAGES = ["typescript-openapi-fetch", "python-openapi-generator", "java-openapi-generator"].flatMap((it) => [
  "--only",
  it,
]);
const FULL = ["npm", "test", "--", "test/attacks", "test/video-uploads/media-"];

/** The steps of CI, in order. `.ci/run` runs all steps except for the job `night`, and hosted CI the steps of a job. */
export const STEPS: readonly Step[] = [
  // Before all tests, so that none is skipped.
  { name: "programs", job: "slow", command: installPrograms },
  ...GATES.filter((it) => it.name !== "tests").map(({ name }) => ({
    name,
    job: "gates" as const,
    command: npm("check", "--", name),
  })),
  { name: "supply", job: "gates", command: npm("test:supply") },
  // The two commands of README.
  { name: "npm ci && npm test", job: "tests", command: ["npm", "test", "--"], user: "ordinary", results: "quick" },
  { name: "npm start", job: "slow", command: node("scripts/ci/start.ts") },
  { name: "npm start without development dependencies", job: "slow", command: node("scripts/ci/start.ts", "--production") },
  { name: "slow tests", job: "slow", command: npm("test:slow", "--"), user: "ordinary", results: "slow" },
  { name: "programs of the night", job: "night", command: installPrograms },
  // The slow tests run each operation on a cluster; this runs all tests of the areas there. Without Citus, it is skipped.
  { name: "tests on three nodes", job: "night", command: npm("test:citus", "--"), user: "ordinary", results: "citus" },
  { name: "tests as root", job: "slow", command: npm("test:root", "--"), user: "root", results: "root" },
  // It kills processes and needs the whole machine, so it is not part of the tests above.
  { name: "faults", job: "slow", command: npm("test:faults", "--"), results: "faults" },
  { name: "generated clients in three languages", job: "slow", command: npm("test:clients", "--", "--all", ...THREE_LANGUAGES) },
  // Without Go or Rust, which CI can't install because the versions of Debian are too old, only the client in that language is skipped.
  { name: "generated clients", job: "night", command: npm("test:clients", "--", "--all", ...ON_CITUS) },
  { name: "attacks and formats at full length", job: "night", command: ["env", "FORMATS=all", "ATTACK_SECONDS=60", ...FULL] },
  // It fails if a peer no longer does the same work. The figures don't count.
  {
    name: "benchmark, one round of one load",
    job: "slow",
    command: npm("bench", "--", "message-many", "--rounds", "1", "--seconds", "1"),
  },
];
