import tseslint from "typescript-eslint";

/** Finds mistakes that the compiler doesn't, especially promises that are never awaited. */
export default tseslint.config(
  {
    ignores: [
      "generated/**",
      "node_modules/**",
      ".data/**",
      "openapi/**",
      "test/clients/typescript-*",
      "test/clients/*/build/**",
      "test/bench/peers/fastify/**",
      "**/*.mjs",
      "scripts/eslint.config.js",
      "scripts/require-node.cjs",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: new URL("..", import.meta.url).pathname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-console": "off",
      // A scope with `using` ends before a promise that it returns.
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // Parts are passed as objects of functions, and none of these functions uses `this`.
      "@typescript-eslint/unbound-method": "off",
      // A handler returns a promise even if it awaits nothing.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    // Tests read responses as a client does, as JSON of any shape, because the witness has already compared them with the
    // contract.
    files: ["test/**"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
