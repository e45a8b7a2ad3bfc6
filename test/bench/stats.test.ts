import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { lastRecord, record, regressionsSince } from "./history.ts";
import { pictureOf } from "./picture.ts";
import { reportOf, tablesOf } from "./report.ts";
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
  halfP99Ms: null,
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

  it("returns no figure that was not measured", () => {
    const samples = [sample(0, "floor", 100), sample(0, "plumbline", 400)];
    expect(cellOf(samples, "halfP99Ms", "health", "plumbline", "floor")).toBeNull();
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
  const subjects = ["floor", "plumbline"].map((name) => ({ name, title: name, file: "" }));
  const load = { name: "health", title: "health", requests: () => [] };
  const context = { at: "2026-01-01T00:00:00Z", commit: "abc", rounds: 2, seconds: 1, loads: [load], subjects };
  const samples = [0, 1].flatMap((round) => [sample(round, "floor", 100), sample(round, "plumbline", 250)]);
  const footprints = [{ subject: "plumbline", startMs: 321.4, residentBytes: 98_765_432 }];
  const report = reportOf({ samples, footprints }, context);

  it("contains a table for each measured figure, and no others", () => {
    const tables = tablesOf(report);
    expect(tables).toContain("| health             | 100 us | 0.40      |");
    expect(tables).toContain("| **geometric mean** |        | **0.40**  |");
    expect(tables).toContain("| plumbline | 321 ms | -       | 99 MB  | -        |");
    expect(tables).not.toContain("at half");
  });

  it("contains a picture with a bar for each subject", () => {
    const picture = pictureOf(report);
    expect(picture.match(/>2\.5</g)).toHaveLength(2);
    expect(picture).not.toContain("NaN");
  });
});

describe("the history of the benchmark", () => {
  const report = (us: number, rounds = 5) => {
    const subjects = ["floor", "plumbline"].map((name) => ({ name, title: name, file: "" }));
    const loads = [{ name: "health", title: "health", requests: () => [] }];
    const samples = [sample(0, "floor", 100), sample(0, "plumbline", us)];
    return reportOf({ samples, footprints: [] }, { at: "", commit: "", rounds, seconds: 1, loads, subjects });
  };

  it("reports only ratios that became worse by more than the noise of a run", () => {
    expect(regressionsSince(report(200), report(250))).toEqual([
      { load: "health", figure: "bothUs", before: 0.5, now: 0.4 },
      { load: "health", figure: "serverUs", before: 0.5, now: 0.4 },
    ]);
    expect(regressionsSince(report(200), report(210))).toEqual([]);
    expect(regressionsSince(report(200), report(100))).toEqual([]);
  });

  it("excludes loads without queries from the mean of PostgreSQL", () => {
    const subjects = ["floor", "plumbline"].map((name) => ({ name, title: name, file: "" }));
    const loads = ["health", "posts"].map((name) => ({
      name,
      title: name,
      requests: () => [],
      ...(name === "health" ? { isIdle: true as const } : {}),
    }));
    const samples = ["health", "posts"].flatMap((load) => [
      sample(0, "floor", 100, { load, postgresUs: load === "health" ? 0.5 : 100 }),
      sample(0, "plumbline", 100, { load, postgresUs: load === "health" ? 0.001 : 200 }),
    ]);
    const { figures, means } = reportOf(
      { samples, footprints: [] },
      { at: "", commit: "", rounds: 1, seconds: 1, loads, subjects },
    );
    expect(figures.postgresUs["health"]!["plumbline"]?.ratio).toBeNull();
    expect(means.postgresUs["plumbline"]).toBeCloseTo(0.5);
  });

  it("stores one line for each run, and reads the last one", () => {
    const history = pathToFileURL(join(mkdtempSync(join(tmpdir(), "plumbline-history-")), "history.jsonl"));
    try {
      expect(lastRecord(history)).toBeNull();
      record(report(200), history);
      record(report(250), history);
      expect(readFileSync(history, "utf8").trim().split("\n")).toHaveLength(2);
      expect(lastRecord(history)).toEqual(report(250));
    } finally {
      rmSync(dirname(history.pathname), { recursive: true });
    }
  });

  it("compares neither a run without a predecessor nor a run with few rounds", () => {
    expect(regressionsSince(null, report(400))).toBeNull();
    expect(regressionsSince(report(200), report(400, 2))).toBeNull();
  });
});
