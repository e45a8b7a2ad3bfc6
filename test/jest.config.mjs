import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * `npm test` leaves out `*.slow.test.ts`; `npm run test:slow` runs only those, and `TESTS=all npm test` both. `npm run test:root`
 * runs the files with a test for root. `npm run test:citus` runs the tests of the areas, and some of all operations, on three
 * nodes of Citus. If you name a path or a slow file, it runs in any case.
 */
const isNamed = process.argv.slice(2).some((it) => /^(\.\/)?test\/(?!jest\.)|\.slow\b/.test(it));
const tests = isNamed ? "all" : (process.env["TESTS"] ?? "quick");
const names = { all: "*.test.ts", quick: "!(*.slow).test.ts", slow: "*.slow.test.ts" }[tests];
/** Of the tests of all operations, those that run each statement. The others ask what comes before the database. */
const OF_ALL_OPERATIONS = "{authorization,examples,keys,lists,quotas}.test.ts";
const isOnCitus = process.env["TEST_CITUS"] === "on" && tests === "quick";

const ROOT = join(import.meta.dirname, "..");
const areas = [...globSync("*/about.md", { cwd: join(ROOT, "openapi") }).map(dirname), "personal-data"];
/** To load a file only to leave out all its tests takes a second, and 19 of 20 have none for root. */
const hasTestForRoot = (/** @type {string} */ file) => /"(root|mount)"|\[root\]/.test(readFileSync(join(ROOT, file), "utf8"));
const match =
  tests === "root"
    ? globSync("test/**/*.test.ts", { cwd: ROOT }).filter(hasTestForRoot)
    : isOnCitus
      ? [`test/{${areas.join(",")}}/${names}`, `test/contract/${OF_ALL_OPERATIONS}`]
      : [`test/**/${names}`];

/** @type {import("jest").Config} */
export default {
  rootDir: "..",
  testMatch: match.map((it) => `<rootDir>/${it}`),
  testEnvironment: "<rootDir>/test/jest/environment.ts",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/jest/strip-types.mjs" },
  modulePathIgnorePatterns: [
    "<rootDir>/.data/",
    "<rootDir>/test/clients/",
    "<rootDir>/test/bench/node_modules/",
    "<rootDir>/test/mutation/",
  ],
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  testSequencer: "<rootDir>/test/jest/longest-first.mjs",
  globalSetup: "<rootDir>/test/jest/global-setup.ts",
  globalTeardown: "<rootDir>/test/jest/global-teardown.ts",
  // Three, because tests wait for a quarter of their time, and most machines of CI have two cores.
  maxWorkers: 3,
  // Generous, as a busy machine can be five times slower; waiting for a condition has a limit of its own.
  testTimeout: 600_000,
};
