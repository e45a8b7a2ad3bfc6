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

  it("has a row for each generator, whose client passed all steps", () => {
    expect([...rows.keys()]).toEqual(generators.map(({ name }) => name));
    for (const { name, strictness } of generators)
      expect([name, ...rows.get(name)!]).toEqual([name, `yes, ${strictness}`, "6/6", "6/6"]);
  });

  it("lists at least 13 generators in 8 languages", () => {
    expect(generators.length).toBeGreaterThanOrEqual(13);
    expect(new Set(generators.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
  });
});
