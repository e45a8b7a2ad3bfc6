import tseslint from "typescript-eslint";

/** What the compiler does not see: above all promises that nobody waits for. */
export default tseslint.config(
  {
    ignores: [
      "generated/**",
      "node_modules/**",
      ".data/**",
      "openapi/**",
      "test/clients/typescript-*",
      "test/clients/*/build/**",
      "**/*.mjs",
      "scripts/eslint.config.js",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: new URL("..", import.meta.url).pathname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-console": "off",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // Parts are handed around as objects of functions, none of which asks for `this`.
      "@typescript-eslint/unbound-method": "off",
      // A handler keeps its promise-returning type though it has nothing to wait for.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    // Answers are read as a client reads them: as JSON of any shape, held against the contract beforehand.
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
