import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { readTable, type Edits } from "./support/edits.ts";
import { lintMistakes, type Mistake } from "./support/lint.ts";

type Table = Readonly<Record<string, Readonly<Record<string, Edits>>>>;
const { configured, ...others } = readTable<{ configured: Table; "recommended-strict": Table }>("lint");
const { rules } = parse(readFileSync(new URL("../../openapi/redocly.yaml", import.meta.url), "utf8")) as {
  rules: Record<string, string | { severity?: string }>;
};
const enabledRules = Object.entries(rules)
  .filter(([, it]) => (typeof it === "string" ? it : it.severity) !== "off")
  .map(([name]) => name);

const mistakesIn = (table: Table) =>
  Object.entries(table).flatMap(([names, faults]) =>
    Object.entries(faults).map(([fault, edits]) => ({ fault, rules: names.split(" ") as [string], edits }) satisfies Mistake),
  );
const ours = mistakesIn(configured);
const mistakes = [...ours, ...mistakesIn(others["recommended-strict"])];

describe("the rules of the contract", () => {
  let unchanged: readonly string[];
  let findings: readonly (readonly string[])[];
  beforeAll(async () => {
    [unchanged = [], ...findings] = await lintMistakes(mistakes);
  }, 120_000);

  it("find no fault in the contract", () => {
    expect(unchanged).toEqual([]);
  });

  it.each(mistakes.map((it, index) => [it.rules[0], it.fault, index] as const))("%s catches: %s", (_rule, _fault, index) => {
    expect(findings[index]!.toSorted()).toEqual([...mistakes[index]!.rules].sort());
  });

  it("of redocly.yaml have at least one mistake each", () => {
    const caught = new Set(ours.map((it) => it.rules[0]));
    expect([...caught].sort()).toEqual(enabledRules.toSorted());
  });
});
