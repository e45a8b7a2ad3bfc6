import { describe, expect, it } from "@jest/globals";
import { answersIn } from "../clients/answers.ts";
import { excerpts } from "../clients/excerpts.ts";
import { generators } from "../clients/generators.ts";
import { blockIn, readPage } from "../clients/page.ts";
import { obstacleTo, refusesIn } from "../clients/skip.ts";

/** The cells of the table's rows, by generator. */
const rows = new Map(
  blockIn(readPage(), "table")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1)
    .map((line) =>
      line
        .split("|")
        .map((it) => it.trim())
        .slice(1, -1),
    )
    .map(([first, ...cells]) => [first!.split(" ")[0]!, cells] as const),
);

describe("openapi/CLIENTS.md", () => {
  it.each([...excerpts()])("shows the lines of the journeys: %s", (block, lines) => {
    expect(blockIn(readPage(), block)).toBe(lines);
  });

  it("has a row for each generator, whose client passed all steps", () => {
    expect([...rows.keys()]).toEqual(generators.map(({ name }) => name));
    for (const { name, strictness } of generators)
      expect([name, ...rows.get(name)!]).toEqual([name, `yes, ${strictness}`, "12/12", "12/12", "6/6", "10/10"]);
  });

  it("lists 10 generators in 8 languages", () => {
    expect(generators).toHaveLength(10);
    expect(new Set(generators.map(({ language }) => language)).size).toBe(8);
  });
});

describe("the clients in CI", () => {
  it.each(["go", "cargo"] as const)("skip only their own generator if %s is missing, and all others stay strict", (compiler) => {
    const skipped = generators.flatMap((it) => obstacleTo(it, (programs) => programs.find((name) => name === compiler)) ?? []);
    expect(skipped).toMatchObject([{ isAccepted: true }]);
    expect(skipped[0]!.reason).toContain(`no compiler ${compiler} on PATH`);
    expect(refusesIn(skipped)).toBe(false);
    expect(refusesIn([...skipped, { reason: "not installed", isAccepted: false }])).toBe(true);
  });

  it.each(["java", "npm", "python3"])("fail if %s is missing, although a compiler may be missing, too", (program) => {
    const skipped = generators.flatMap((it) => obstacleTo(it, (programs) => programs.find((name) => name === program)) ?? []);
    expect(skipped.length).toBeGreaterThan(0);
    expect(refusesIn(skipped)).toBe(true);
  });

  it("fail for each 5xx in the log of the service, report its lines, and count the others by status", () => {
    const request = (id: string, status: number | null) => `{"level":30,"status":${status},"request_id":"${id}","msg":"request"}`;
    const cause = '{"level":50,"request_id":"b","err":{"code":"0A000"},"msg":"defect"}';
    const log = [request("a", 201), cause, request("b", 500), '{"level":50,"status":502,"msg":"a job failed"}'];
    expect(answersIn([...log, request("c", null), request("d", 201)])).toEqual({
      counts: "4 requests: 2 x 201, 1 x 500, 1 x none",
      failures: [cause, request("b", 500)],
    });
  });
});
