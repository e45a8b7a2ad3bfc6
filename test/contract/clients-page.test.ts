import { describe, expect, it } from "@jest/globals";
import { excerpts } from "../clients/excerpts.ts";
import { generators } from "../clients/generators.ts";
import { blockIn, readPage } from "../clients/page.ts";

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

  it("has a row for each generator, and each compiled client passed all steps", () => {
    expect([...rows.keys()]).toEqual(generators.map(({ name }) => name));
    for (const { name, strictness, journey } of generators) {
      const all = journey === null ? "" : "6/6";
      expect([name, ...rows.get(name)!]).toEqual([name, `yes, ${strictness}`, all, all]);
    }
  });

  it("lists at least 13 generators in 8 languages with a journey", () => {
    const travelling = generators.filter(({ journey }) => journey !== null);
    expect(travelling.length).toBeGreaterThanOrEqual(13);
    expect(new Set(travelling.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
  });
});
