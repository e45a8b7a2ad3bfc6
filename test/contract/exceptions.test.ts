import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readExceptions } from "../../scripts/contract/exceptions.ts";
import { byImpact, mostSevere, type Impact } from "../../scripts/contract/versions.ts";

const RIGHT = { change: "schema `Post`: is removed", impact: "minor", because: "No client uses it yet." };

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
    ["no change", [{ impact: "minor", because: RIGHT.because }], "entry 1 needs change, the line that contract compare prints."],
    ["no reason", [{ change: RIGHT.change, impact: "minor" }], "entry 1 needs because, a reason of at least 10 characters."],
    [
      "a reason that is too short",
      [{ ...RIGHT, because: "ok         " }],
      "entry 1 needs because, a reason of at least 10 characters.",
    ],
    ["a misspelt key", [{ ...RIGHT, reason: "No client uses it." }], "entry 1 must not have reason."],
    ["an entry that is a string", ["schema `Post`: is removed"], "entry 1 needs change, impact and because."],
    ["no list", { exceptions: [RIGHT] }, "it must be a list."],
  ])("are rejected: %s", (_fault, content, complaint) => {
    expect(reading(content)).toBe(`ContractError: compat-exceptions.yaml: ${complaint}`);
  });

  it("are rejected if they aren't YAML", () => {
    expect(reading("- change: 'open")).toMatch(/^ContractError: compat-exceptions\.yaml cannot be read: /);
  });
});

describe("the exceptions of this version", () => {
  const OPENAPI = join(import.meta.dirname, "../../openapi");
  const [, unreleased] = readFileSync(join(OPENAPI, "CHANGELOG.md"), "utf8").split(/^## /m);
  /** What changes in generated clients: the types and constants that have another name, and what has another type. */
  const changedNames = (change: string) => [
    ...[...change.matchAll(/schema `(\w+)`: (?:becomes `(\w+)`|the name)/g)].flatMap(([, from, to]) => [from, to]),
    /the name of the value \S+: (\w+) →/.exec(change)?.[1],
    /(?:field|header) `(\w+)`: `format`/.exec(change)?.[1]?.replace("LocationOfResumable", "Location"),
  ];

  it("that change generated clients are in the changelog, by the names that these clients use", () => {
    const names = new Set(readExceptions(OPENAPI).flatMap(({ change }) => changedNames(change)));
    names.delete(undefined);
    expect([...names].filter((it) => !unreleased!.includes(`\`${it}\``))).toEqual([]);
  });

  it.each([
    ["schema `SortOrder`: becomes `UrlSortOrder`", ["SortOrder", "UrlSortOrder"]],
    ["`GET /posts`: parameter `sort`: the name of the value -created_at: NewestFirst → Newest", ["NewestFirst"]],
    ["schema `MemberRole`: the name of the value owner: owner → Owner", ["MemberRole", "owner"]],
    ['schema `Problem`: field `type`: `format`: "uri-reference" → nothing', ["type"]],
    ["response `Unavailable`: header `RateLimit`: is removed", []],
  ])("are searched for such names: %s", (change, names) => {
    expect(changedNames(change).filter((it) => it !== undefined)).toEqual(names);
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
