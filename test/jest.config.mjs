/**
 * `npm test` leaves out `*.slow.test.ts`; `npm run test:slow` runs only those, `npm run test:all` both. Naming a path or
 * a slow file runs whatever it names.
 */
const isNamed = process.argv.slice(2).some((it) => /^(\.\/)?test\/(?!jest\.)|\.slow\b/.test(it));
const tests = isNamed ? "all" : (process.env["TESTS"] ?? "quick");
const testMatch = { all: "*.test.ts", quick: "!(*.slow).test.ts", slow: "*.slow.test.ts" }[tests];

/** @type {import("jest").Config} */
export default {
  rootDir: "..",
  testMatch: [`<rootDir>/test/**/${testMatch}`],
  testEnvironment: "<rootDir>/test/support/environment.ts",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/support/strip-types.mjs" },
  modulePathIgnorePatterns: ["<rootDir>/.data/", "<rootDir>/test/clients/", "<rootDir>/test/bench/peers/fastify/"],
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  maxWorkers: 2,
  // Generous, as a busy machine can be five times slower; waiting for a condition has a limit of its own.
  testTimeout: 600_000,
};
