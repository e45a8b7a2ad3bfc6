import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const rows = [...readFileSync(join(root, ".github/SECURITY.md"), "utf8").matchAll(/^\| *([^|]*?) *\|[^|]*\| (`.*) \|$/gm)];

/** What declares a test that runs. `it.skip`, `it.todo` and a test in a comment don't. */
const DECLARES = /^(it|it\.each|it\.concurrent|itNeeds)$/;

/** The names of the tests that a file declares, as it writes them, and those of the rows of their tables. */
function testNamesIn(file: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const { expression } = node;
      const callee = ts.isCallExpression(expression) ? expression.expression : expression;
      if (/\.skip\b/.test(callee.getText())) return;
      if (DECLARES.test(callee.getText())) for (const it of node.arguments) if (ts.isStringLiteralLike(it)) names.add(it.text);
    }
    if (ts.isPropertyAssignment(node) && ts.isStringLiteralLike(node.name)) names.add(node.name.text);
    const [first] = ts.isArrayLiteralExpression(node) ? node.elements : [];
    if (first !== undefined && ts.isStringLiteralLike(first)) names.add(first.text);
    ts.forEachChild(node, visit);
  };
  if (existsSync(join(root, file)))
    visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true));
  return names;
}

describe(".github/SECURITY.md", () => {
  it("has every risk of the OWASP API Security Top 10", () => {
    const risks = rows.flatMap(([, risk]) => /^API\d+/.exec(risk!) ?? []);
    expect(risks).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  });

  it("names a test for every line, and each of these tests is declared and not skipped", () => {
    expect(rows.length).toBeGreaterThan(70);
    const missing = rows.filter(([, , cell]) => {
      const [, file = "", name = ""] = /^`(test\/[^`]+)`: "(.+)"$/.exec(cell!) ?? [];
      return !testNamesIn(file).has(name);
    });
    expect(missing.map(([line]) => line)).toEqual([]);
  });
});
