import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";

const read = (name: string) => readFileSync(new URL(`../../openapi/${name}`, import.meta.url), "utf8");

/** The items of the list that follows this line. */
function listAfter(text: string, line: string): string[] {
  const [, rest] = text.split(line);
  const [list] = rest!.trimStart().split(/\n\n/);
  return list!.split(/^(?:-|\d+\.) /m).flatMap((it) => (it === "" ? [] : [it.replaceAll(/\s+/g, " ").trim()]));
}

describe("the rules for clients", () => {
  it("are the same in info.md and in section 4 of COMPATIBILITY.md", () => {
    const rules = listAfter(read("info.md"), "**Your client MUST:**");
    expect(rules.length).toBeGreaterThanOrEqual(8);
    expect(listAfter(read("COMPATIBILITY.md"), "Your client must:")).toEqual(rules);
  });
});
