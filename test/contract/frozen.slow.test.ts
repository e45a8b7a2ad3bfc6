import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { requireFrozen } from "../../scripts/contract/frozen.ts";
import { gitIn } from "./support/git.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("plumbline contract compare with a git revision", () => {
  let root: string;
  let git: (...options: string[]) => string;
  const released = (name: string) => join(root, "openapi/released", name);
  const commit = () => {
    git("add", "openapi");
    git("commit", "--quiet", "--message", "Change the contract");
  };
  const compare = (...options: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/plumbline.ts", "contract", "compare", ...options], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const failing = (stderr: unknown) => ({ status: 1, stdout: "", stderr });

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "plumbline-frozen-"));
    git = gitIn(root);
    for (const it of ["scripts", "src", "openapi", "package.json"]) cpSync(join(ROOT, it), join(root, it), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"), "junction");
    git("init", "--quiet", "--initial-branch", "main");
    commit();
    git("checkout", "--quiet", "-b", "change");
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  beforeEach(() => {
    git("reset", "--quiet", "--hard", "main");
    git("clean", "--quiet", "--force", "openapi");
  });

  it("succeeds if no release has changed, or if one was added", () => {
    requireFrozen(root, "main");
    cpSync(released("1.0.0.json"), released("0.9.0.json"));
    commit();
    expect(compare("main")).toMatchObject({ status: 0, stderr: "" });
  });

  it("rejects a changed or renamed release, committed or not", () => {
    const complaint = (what: string) =>
      `A released contract must not change. Since main:\nopenapi/released/1.0.0.json is ${what}.`;
    writeFileSync(released("1.0.0.json"), readFileSync(released("1.0.0.json"), "utf8").concat("\n"));
    expect(() => requireFrozen(root, "main")).toThrow(complaint("changed"));
    commit();
    expect(compare("main")).toEqual(failing(`${complaint("changed")}\n`));
    renameSync(released("1.0.0.json"), released("1.0.1.json"));
    commit();
    expect(() => requireFrozen(root, "main")).toThrow(complaint("removed"));
  });

  it("rejects an unknown revision, and what git would read as an option", () => {
    expect(compare("nowhere")).toEqual(failing('git has no revision "nowhere".\n'));
    for (const words of [["--output=openapi/released"], ["--", "--output=openapi/released"]])
      expect(compare(...words)).toEqual(failing(expect.stringMatching(/^Unknown argument: /)));
  });

  it("reports an invalid exception in one line", () => {
    writeFileSync(join(root, "openapi/compat-exceptions.yaml"), "- {change: nothing, impact: Minor, because: It is harmless.}\n");
    expect(compare()).toEqual(
      failing('compat-exceptions.yaml: entry 1 needs impact, which must be major, minor or patch, not "Minor".\n'),
    );
  });
});
