import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");

describe("plumbline contract compare with a git revision", () => {
  let root: string;
  const released = (name: string) => join(root, "openapi/released", name);
  const git = (...options: string[]) =>
    execFileSync(
      "git",
      ["-c", "user.name=Test", "-c", "user.email=test@plumbline.example", "-c", "commit.gpgsign=false", ...options],
      { cwd: root, encoding: "utf8", stdio: "pipe" },
    );
  const commit = () => {
    git("add", "openapi");
    git("commit", "--quiet", "--message", "Change the contract");
  };
  const compat = (...options: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/plumbline.ts", "contract", "compare", ...options], {
      cwd: root,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const complaint = (...lines: string[]) => ({
    status: 1,
    stdout: "",
    stderr: `A released contract must not change. Since main:\n${lines.join("\n")}\n`,
  });

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "plumbline-frozen-"));
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
    expect(compat("main")).toMatchObject({ status: 0, stderr: "" });
    cpSync(released("1.0.0.json"), released("0.9.0.json"));
    commit();
    expect(compat("main")).toMatchObject({ status: 0, stderr: "" });
  });

  it("rejects a changed release, committed or not", () => {
    writeFileSync(released("1.0.0.json"), readFileSync(released("1.0.0.json"), "utf8").concat("\n"));
    expect(compat("main")).toEqual(complaint("openapi/released/1.0.0.json is changed."));
    commit();
    expect(compat("main")).toEqual(complaint("openapi/released/1.0.0.json is changed."));
    expect(compat()).toMatchObject({ status: 0 });
  });

  it("rejects a renamed release", () => {
    renameSync(released("1.0.0.json"), released("1.0.1.json"));
    commit();
    expect(existsSync(released("1.0.0.json"))).toBe(false);
    expect(compat("main")).toEqual(complaint("openapi/released/1.0.0.json is removed."));
  });

  it("rejects an unknown revision, and what git would read as an option", () => {
    expect(compat("nowhere")).toEqual({ status: 1, stdout: "", stderr: 'git has no revision "nowhere".\n' });
    for (const words of [["--output=openapi/released"], ["--", "--output=openapi/released"]])
      expect(compat(...words)).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^Unknown argument: /) });
  });

  it("reports an invalid exception in one line", () => {
    writeFileSync(join(root, "openapi/compat-exceptions.yaml"), "- {change: nothing, impact: Minor, because: It is harmless.}\n");
    expect(compat()).toEqual({
      status: 1,
      stdout: "",
      stderr: 'compat-exceptions.yaml: entry 1 needs impact, which must be major, minor or patch, not "Minor".\n',
    });
  });
});
