import { describe, expect, it } from "@jest/globals";
import { growthPicture } from "./picture.ts";
import type { PlanCost } from "./plans.ts";
import { faultsOf, growthTable, type Growth } from "./report.ts";

const cost = (change: Partial<PlanCost> = {}): PlanCost => ({
  statements: 1,
  pages: 100,
  rows: 20,
  removed: 0,
  searches: 10,
  plans: [],
  ...change,
});
const growth = (large: Partial<PlanCost>, more: Partial<Growth> = {}): Growth => ({
  operation: { area: "posts", name: "list" },
  plans: [cost(), cost(), cost(large)],
  cpuUs: [1_000, 1_000, 1_000],
  ...more,
});
const run = { sizes: [10_000, 100_000, 1_000_000], messages: 1_000_000, rounds: 5 };

describe("the growth of an operation", () => {
  it("is none if it reads as much from large tables as from small ones", () => {
    expect(faultsOf(growth({}), run)).toEqual([]);
  });

  it.each([
    [{ rows: 30 }, "reads 30 rows instead of 20"],
    [{ removed: 100 }, "discards 100 rows instead of 0"],
    [{ statements: 2 }, "sends 2 statements instead of 1"],
    [{ pages: 143 }, "reads 143 pages instead of 100"],
  ])("is reported for %j", (large, fault) => {
    expect(faultsOf(growth(large), run)).toEqual([fault]);
  });

  it("leaves out one page for each search in an index, because larger trees have more levels", () => {
    expect(faultsOf(growth({ pages: 142 }), run)).toEqual([]);
    expect(faultsOf(growth({ pages: 152 }), { ...run, messages: 10_000_000 })).toEqual([]);
  });

  it("includes the CPU time, if it was measured often enough", () => {
    const slow = growth({}, { cpuUs: [1_000, 1_100, 1_400] });
    expect(faultsOf(slow, run)).toEqual(["takes 1.40 times the CPU"]);
    expect(faultsOf(slow, { ...run, rounds: 4 })).toEqual([]);
  });

  it("is not judged for an exception", () => {
    const excepted = growth(
      { rows: 10_000 },
      { operation: { area: "posts", name: "list", exception: "it reads what it skips" } },
    );
    expect(faultsOf(excepted, run)).toEqual([]);
  });

  it("is in the table and in the picture, with and without CPU times", () => {
    const report = { ...run, at: "2026-01-01T00:00:00Z", commit: "abc", operations: [growth({ rows: 30 })] };
    expect(growthTable(report)).toMatch(
      /\| posts: list +\| 1 +\| 20 → 20 → 30 +\| 0 → 0 → 0 +\| 100 → 100 → 100 +\| 1\.00 +\| 1\.00 → 1\.00 → 1\.00 +\| GROWS/,
    );
    expect(growthPicture(report).match(/<polyline/g)).toHaveLength(2);
    const plansOnly = { ...report, rounds: 0, operations: [growth({}, { cpuUs: [] })] };
    expect(growthTable(plansOnly)).not.toContain("CPU");
    expect(growthPicture(plansOnly)).not.toContain("NaN");
  });
});
