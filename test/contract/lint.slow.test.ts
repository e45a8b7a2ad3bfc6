import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { builtIn } from "./mutants/built-in.ts";
import { configured } from "./mutants/configured.ts";
import { lintMutants, type Finding } from "./mutants/lint-mutants.ts";
import { operations } from "./mutants/operations.ts";
import { prose } from "./mutants/prose.ts";
import { schemas } from "./mutants/schemas.ts";

const { rules } = parse(readFileSync(new URL("../../openapi/redocly.yaml", import.meta.url), "utf8")) as {
  rules: Record<string, string | { severity?: string }>;
};
const enabledRules = Object.entries(rules)
  .filter(([, it]) => (typeof it === "string" ? it : it.severity) !== "off")
  .map(([name]) => name);

const ours = [...configured, ...schemas, ...operations, ...prose];
const mutants = [...ours, ...builtIn];

let unchanged: readonly Finding[];
let findings: readonly (readonly Finding[])[];

beforeAll(async () => {
  [unchanged = [], ...findings] = await lintMutants(mutants);
}, 120_000);

describe("the rules of the contract", () => {
  it("find no fault in the contract", () => {
    expect(unchanged).toEqual([]);
  });

  it.each(mutants.map((it, index) => [it.rule, it.fault, index] as const))("%s catches: %s", (_rule, _fault, index) => {
    const { rule, also = [] } = mutants[index]!;
    expect([...new Set(findings[index]!.map((it) => it.rule))].sort()).toEqual([rule, ...also].sort());
  });

  it.each(enabledRules)("%s of redocly.yaml has a mutant", (rule) => {
    expect(ours.map((it) => it.rule)).toContain(rule);
  });

  it("have no mutant for an unknown rule", () => {
    expect(ours.filter((it) => !enabledRules.includes(it.rule)).map((it) => it.rule)).toEqual([]);
  });
});
