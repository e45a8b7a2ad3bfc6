import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const OPENAPI = join(import.meta.dirname, "../../openapi");
const WORDS = join(OPENAPI, "rules/plain-words.js");
const { plainWordFlaws } = (await import(WORDS)) as { plainWordFlaws: (text: string) => readonly string[] };

/** The texts next to the contract, which the linter doesn't read. */
const texts = ["", "workflows"].flatMap((folder) =>
  readdirSync(join(OPENAPI, folder), { withFileTypes: true })
    .filter((it) => it.isFile() && /\.md$|\.arazzo\.yaml$/.test(it.name))
    .map((it) => join(folder, it.name)),
);

describe("the words of plain-words.js", () => {
  it("are found, except in code", () => {
    expect(plainWordFlaws("Who leaves shall\ngo on. Run `shall` and `go on`.")).toEqual([
      'Instead of "Who", write a sentence with "you" or "if you".',
      'Instead of "shall", write the present tense, or "must".',
      'Instead of "go on", write "continue" or "resume".',
    ]);
  });

  it.each(texts)("don't occur in openapi/%s", (name) => {
    expect(plainWordFlaws(readFileSync(join(OPENAPI, name), "utf8"))).toEqual([]);
  });
});
