import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const root = join(import.meta.dirname, "../..");
const rows = [...readFileSync(join(root, ".github/SECURITY.md"), "utf8").matchAll(/^\| *([^|]*?) *\|[^|]*\| (`.*) \|$/gm)];

describe(".github/SECURITY.md", () => {
  it("has every risk of the OWASP API Security Top 10", () => {
    const risks = rows.flatMap(([, risk]) => /^API\d+/.exec(risk!) ?? []);
    expect(risks).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  it("names a test for every line, and each of these tests exists", () => {
    expect(rows.length).toBeGreaterThan(70);
    const missing = rows.filter(([, , cell]) => {
      const [, file = "", name = ""] = /^`(test\/[^`]+)`: "(.+)"$/.exec(cell!) ?? [];
      return !existsSync(join(root, file)) || !readFileSync(join(root, file), "utf8").includes(`"${name}"`);
    });
    expect(missing.map(([line]) => line)).toEqual([]);
  });
});
