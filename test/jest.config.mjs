/** @type {import("jest").Config} */
export default {
  rootDir: "..",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testEnvironment: "node",
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/support/strip-types.mjs" },
  modulePathIgnorePatterns: ["<rootDir>/.data/", "<rootDir>/test/clients/"],
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  maxWorkers: 2,
  // Generous, as video work on a busy machine takes its time; waiting for a condition has a limit of its own.
  testTimeout: 120_000,
};
