import { describe, expect, it } from "@jest/globals";
import type { Load } from "./loads.ts";
import { tablesOf } from "./report.ts";
import { cellOf, geometricMean, meanRatio, median, orderOf, percentile, slopeOf, type Sample } from "./stats.ts";

const sample = (round: number, subject: string, serverUs: number, more: Partial<Sample> = {}): Sample => ({
  round,
  load: "health",
  subject,
  serverUs,
  postgresUs: 0,
  requestsPerSecond: 1e6 / serverUs,
  p50Ms: 1,
  p99Ms: 2,
  ...more,
});

describe("the arithmetic of the benchmark", () => {
  it("finds how much values grow with each step, whatever else they do", () => {
    const points = Array.from({ length: 30 }, (_, x) => [x, 100 + 3 * x + (x % 2 === 0 ? 5 : -5)] as const);
    expect(slopeOf(points)).toBeCloseTo(3, 1);
    expect(slopeOf(points.map(([x]) => [x, 7]))).toBe(0);
    expect(() => slopeOf([[1, 1]])).toThrow("two points");
  });

  it("takes the middle of an odd number of values, and the mean of the two middle values of an even number", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
    expect(() => median([])).toThrow("no median");
  });

  it("takes a percentile by rank, and rounds the rank up", () => {
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100]);
    expect(percentile([10, 2], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4, 5], 0.99)).toBe(5);
  });

  it("takes the geometric mean, in which a half and a double cancel out", () => {
    expect(geometricMean([0.5, 2])).toBeCloseTo(1);
    expect(geometricMean([1, 4])).toBeCloseTo(2);
  });

  it("reverses the order in every other round", () => {
    expect([0, 1, 2].map((round) => orderOf(["a", "b", "c"], round).join(""))).toEqual(["abc", "cba", "abc"]);
  });

  it("compares within a round before it takes the median, so that a slow round does not change the ratio", () => {
    // In the second round, everything takes three times as long.
    const samples = [
      ...[100, 300, 100].map((us, round) => sample(round, "floor", us)),
      ...[200, 600, 250].map((us, round) => sample(round, "plumbline", us)),
    ];
    const cell = cellOf(samples, "serverUs", "health", "plumbline", "floor");
    expect(cell).toEqual({ value: 250, ratio: 0.5 });
    expect(cellOf(samples, "serverUs", "health", "floor", "floor")?.ratio).toBe(1);
  });

  it("returns ratios below 1 for figures worse than the floor, also for figures where more is better", () => {
    const samples = [sample(0, "floor", 100), sample(0, "plumbline", 400)];
    for (const figure of ["serverUs", "bothUs", "requestsPerSecond"] as const)
      expect(cellOf(samples, figure, "health", "plumbline", "floor")?.ratio).toBeCloseTo(0.25);
  });

  it("adds server and PostgreSQL in the main figure", () => {
    const samples = [sample(0, "floor", 100, { postgresUs: 100 }), sample(0, "plumbline", 100, { postgresUs: 300 })];
    expect(cellOf(samples, "bothUs", "health", "plumbline", "floor")).toEqual({ value: 400, ratio: 0.5 });
  });

  it("returns no ratio for an incomplete round, and no mean if the ratio of a load is missing", () => {
    const samples = [sample(0, "floor", 100), sample(1, "plumbline", 100)];
    const cell = cellOf(samples, "serverUs", "health", "plumbline", "floor");
    expect(cell).toEqual({ value: 100, ratio: null });
    expect(meanRatio([{ value: 1, ratio: 0.5 }, cell])).toBeNull();
    expect(cellOf(samples, "serverUs", "other", "plumbline", "floor")).toBeNull();
  });
});

describe("the report of the benchmark", () => {
  const subjects = ["floor", "plumbline"].map((name) => ({ name, file: "" }));
  const load = (name: string, apart?: Load["apart"]): Load => ({ name, requests: () => [], ...(apart && { apart }) });
  const context = { at: "2026-01-01T00:00:00Z", commit: "abc", rounds: 2, seconds: 1, subjects, halfLoad: true };
  const footprints = [{ subject: "plumbline", startMs: 321.4, residentBytes: 98_765_432 }];
  const cost = (name: string, us: number) =>
    [0, 1].flatMap((round) => [sample(round, "floor", 100, { load: name }), sample(round, "plumbline", us, { load: name })]);

  it("contains a table for each figure, at half load too, and one for start and memory", () => {
    const samples = cost("posts", 250).map((it) => ({ ...it, halfLoadP99Ms: it.subject === "floor" ? 4 : 5 }));
    const tables = tablesOf({ samples, footprints }, { ...context, loads: [load("posts")] });
    expect(tables).toContain("| posts                   | 100 us | 0.40      |");
    expect(tables).toContain("| posts                   | 4.0 ms | 0.80      |");
    expect(tables).toContain("| plumbline | 321 ms | -       | 99 MB  | -        |");
    expect(tables.match(/\*\*geometric mean of 1\*\*/g)).toHaveLength(7);
  });

  it("lists loads that the service combines or that need no database below the mean, which leaves them out", () => {
    const samples = [...cost("health", 10), ...cost("posts", 200), ...cost("history", 800), ...cost("message-pair", 1)];
    const loads = [load("health", "no database"), load("posts"), load("history"), load("message-pair", "combined")];
    const [, , cpu] = tablesOf({ samples, footprints }, { ...context, loads }).split("\n\n");
    expect(
      cpu!
        .split("\n")
        .slice(2)
        .map((row) =>
          row
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ),
    ).toEqual([
      ["posts", "100 us", "0.50"],
      ["history", "100 us", "0.13"],
      ["**geometric mean of 2**", "", "**0.25**"],
      ["health (no database)", "100 us", "10.00"],
      ["message-pair (combined)", "100 us", "100.00"],
    ]);
  });
});
