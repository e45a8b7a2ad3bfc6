import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readExceptions } from "../../scripts/contract/exceptions.ts";
import { byImpact, mostSevere, type Impact } from "../../scripts/contract/versions.ts";

const RIGHT = { change: "schema `Post`: is removed", impact: "minor", because: "Nobody uses it yet." };

describe("the exceptions of the compatibility gate", () => {
  let folder: string;
  const reading = (content: unknown) => {
    writeFileSync(join(folder, "compat-exceptions.yaml"), typeof content === "string" ? content : JSON.stringify(content));
    try {
      return readExceptions(folder);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "plumbline-exceptions-"));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are empty without a file or with an empty one", () => {
    expect(readExceptions(join(folder, "elsewhere"))).toEqual([]);
    expect(reading("# Nothing yet.\n")).toEqual([]);
  });

  it.each(["major", "minor", "patch"])("can rate a change as %s", (impact) => {
    expect(reading([{ ...RIGHT, impact }])).toEqual([{ ...RIGHT, impact }]);
  });

  it.each([
    [
      "an impact in capitals",
      [{ ...RIGHT, impact: "Minor" }],
      'entry 1 needs impact, which must be major, minor or patch, not "Minor".',
    ],
    ["the impact none", [{ ...RIGHT, impact: "none" }], 'entry 1 needs impact, which must be major, minor or patch, not "none".'],
    [
      "another word as the impact",
      [RIGHT, { ...RIGHT, impact: "compatible" }],
      'entry 2 needs impact, which must be major, minor or patch, not "compatible".',
    ],
    [
      "the name of a property of every object as the impact",
      [{ ...RIGHT, impact: "constructor" }],
      'entry 1 needs impact, which must be major, minor or patch, not "constructor".',
    ],
    [
      "no impact",
      [{ change: RIGHT.change, because: RIGHT.because }],
      "entry 1 needs impact, which must be major, minor or patch, not nothing.",
    ],
    ["no change", [{ impact: "minor", because: RIGHT.because }], "entry 1 needs change, the line that contract:compat prints."],
    ["no reason", [{ change: RIGHT.change, impact: "minor" }], "entry 1 needs because, a reason of at least 10 characters."],
    [
      "a reason that is too short",
      [{ ...RIGHT, because: "ok         " }],
      "entry 1 needs because, a reason of at least 10 characters.",
    ],
    ["a misspelt key", [{ ...RIGHT, reason: "Nobody uses it." }], "entry 1 must not have reason."],
    ["an entry that is a string", ["schema `Post`: is removed"], "entry 1 needs change, impact and because."],
    ["no list", { exceptions: [RIGHT] }, "it must be a list."],
  ])("are rejected: %s", (_fault, content, complaint) => {
    expect(reading(content)).toBe(`Complaint: compat-exceptions.yaml: ${complaint}`);
  });

  it("are rejected if they aren't YAML", () => {
    expect(reading("- change: 'open")).toMatch(/^Complaint: compat-exceptions\.yaml cannot be read: /);
  });
});

describe("the most severe of some impacts", () => {
  it("is one of three, and any other impact throws", () => {
    expect([mostSevere([]), mostSevere(["patch"]), mostSevere(["minor", "major", "patch"])]).toEqual([null, "patch", "major"]);
    for (const unknown of ["Minor", "none", "constructor", undefined] as unknown as Impact[]) {
      expect(() => mostSevere([unknown])).toThrow("is not an impact");
      expect(() => mostSevere([unknown, "major"])).toThrow("is not an impact");
      expect(() => byImpact("major", unknown)).toThrow("is not an impact");
    }
  });
});
