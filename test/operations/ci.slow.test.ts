import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { reportOf } from "../../scripts/ci/count.ts";
import { openMachine } from "../../scripts/ci/machine.ts";
import { runSteps } from "../../scripts/ci/run-steps.ts";
import { JOBS, type Step } from "../../scripts/ci/steps.ts";
import { repository } from "../support/running.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-ci-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file, with its folders. */
function write(name: string, text: string, mode = 0o644): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text, { mode });
}

describe(".ci/run", () => {
  /** Runs it in a folder whose npm is a stand-in, and whose scripts/ci.ts is `script`. */
  async function ends(script: string, npm = "exit 0"): Promise<{ code: number; lines: string[] }> {
    write("bin/npm", `#!/bin/sh\n${npm}\n`, 0o755);
    write("scripts/ci.ts", `import { writeFileSync } from "node:fs";\nconst report = process.argv[3];\n${script}`);
    for (const name of [".ci", "node_modules/.bin"]) mkdirSync(join(folder, name), { recursive: true });
    symlinkSync(process.execPath, join(folder, "node_modules/.bin/node"));
    copyFileSync(join(repository, ".ci/run"), join(folder, ".ci/run"));
    const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
    const child = spawn("bash", [".ci/run"], { cwd: folder, env: { ...process.env, PATH }, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output === "stop me\n") child.kill("SIGTERM");
    });
    const [code] = (await once(child, "close")) as [number];
    return { code, lines: output.trimEnd().split("\n") };
  }
  const says = (line: string) => `writeFileSync(report, "${line}\\n");`;

  it("passes only if its steps say that all passed, and ends with their count", async () => {
    expect(await ends(says("SKIPPED: x\\n12 passed, 0 failed"))).toEqual({
      code: 0,
      lines: ["SKIPPED: x", "12 passed, 0 failed"],
    });
  });

  it.each([
    ["a step fails", `${says("FAILED: x\\n2 passed, 1 failed")} process.exit(1);`, ["FAILED: x", "2 passed, 1 failed"]],
    ["the steps throw", 'throw new Error("broken");', ["FAILED: scripts/ci.ts ended with exit code 1", "0 passed, 1 failed"]],
    ["the steps end without a report", "", ["FAILED: scripts/ci.ts ended with exit code 0", "0 passed, 1 failed"]],
    ["no step ran", says("0 passed, 0 failed"), ["FAILED: scripts/ci.ts ended with exit code 0", "0 passed, 1 failed"]],
    [
      "the steps crash after their report",
      `${says("2 passed, 0 failed")} process.exit(9);`,
      ["FAILED: scripts/ci.ts ended with exit code 9", "0 passed, 1 failed"],
    ],
    [
      "the steps are killed",
      'process.kill(process.pid, "SIGKILL");',
      ["FAILED: scripts/ci.ts ended with exit code 137", "0 passed, 1 failed"],
    ],
    [
      "it is stopped",
      `process.on("SIGTERM", () => { ${says("FAILED: stopped\\n0 passed, 1 failed")} process.exit(1); });
       setInterval(() => {}, 1_000); console.log("stop me");`,
      ["FAILED: stopped", "0 passed, 1 failed"],
    ],
  ])("fails if %s", async (_case, script, last) => {
    const { code, lines } = await ends(script);
    expect({ code, last: lines.slice(-2) }).toEqual({ code: 1, last });
  });

  it("fails if npm ci fails", async () => {
    expect(await ends("", "exit 1")).toEqual({ code: 1, lines: ["FAILED: npm ci", "0 passed, 1 failed"] });
  });
});

describe("the steps of CI", () => {
  const step = (name: string, code: string, more: Partial<Step> = {}): Step => ({
    ...{ name, job: "slow", command: [process.execPath, "-e", code] },
    ...more,
  });
  async function report(steps: readonly Step[], stop = new AbortController()): Promise<string[]> {
    using stack = new DisposableStack();
    return reportOf(await runSteps(steps, openMachine(folder, folder, stop.signal, stack), folder)).split("\n");
  }

  it("count each step, and name those that fail or can't check", async () => {
    const fails = "process.exit(3)";
    expect(
      await report([
        step("good", ""),
        step("bad", fails),
        step("killed", "process.kill(process.pid, 'SIGKILL')"),
        step("absent", "", { command: ["/no/such/program"] }),
        step("unchecked", "process.exit(77)"),
        step("unchecked tests", "", { command: ["sh", "-c", "exit 77"], results: "unchecked" }),
      ]),
    ).toEqual([
      "FAILED: bad: exit code 3",
      "FAILED: killed: ended by SIGKILL",
      "FAILED: absent: spawn /no/such/program ENOENT",
      "SKIPPED: unchecked",
      "SKIPPED: unchecked tests",
      "1 passed, 3 failed",
    ]);
    expect(await report([])).toEqual(["FAILED: no step has run", "0 passed, 1 failed"]);
  });

  it("stop with the step that runs, and fail for the others", async () => {
    const stop = new AbortController();
    const stopping = { command: () => (setImmediate(() => stop.abort()), 0) };
    expect(
      await report([step("first", "", stopping), step("second", "setInterval(() => {}, 1_000)"), step("third", "")], stop),
    ).toEqual(["FAILED: second: ended by SIGTERM", "FAILED: third: CI was stopped before it", "1 passed, 2 failed"]);
  });

  it("count the tests of jest, and fail if it writes no results", async () => {
    write("jest.config.json", '{ "testMatch": ["**/*.check.cjs"] }');
    write("test/a.check.cjs", 'test("adds", () => {}); test("counts", () => expect(1).toBe(2)); test.skip("later", () => {});');
    write("test/b.check.cjs", 'throw new Error("no such module")');
    // Results of an earlier run don't count.
    write("none.json", '{ "numPassedTests": 7 }');
    const jest = [process.execPath, join(repository, "node_modules/jest/bin/jest.js"), "--config", "jest.config.json"];
    const lines = await report([
      step("jest", "", { command: [...jest, "--rootDir", folder], results: "jest" }),
      step("no jest", "", { command: ["true"], results: "none" }),
    ]);
    expect(lines.filter((it) => !it.startsWith("  "))).toEqual([
      "FAILED: jest: exit code 1",
      expect.stringMatching(/^FAILED: test\/[ab]\.check\.cjs(: counts| does not run)$/),
      expect.stringMatching(/^FAILED: test\/[ab]\.check\.cjs(: counts| does not run)$/),
      expect.stringMatching(/^FAILED: jest wrote no results: ENOENT/),
      "2 passed, 4 failed",
    ]);
    expect(lines).toContain("  Expected: 2");
    expect(lines.join("\n")).toContain("no such module");
  });

  it("are the jobs of hosted CI", () => {
    type Job = { readonly "timeout-minutes": number; readonly steps: readonly { readonly run?: string }[] };
    const { jobs } = parse(readFileSync(join(repository, ".github/workflows/ci.yml"), "utf8")) as { jobs: Record<string, Job> };
    expect(Object.keys(jobs)).toEqual([...JOBS]);
    for (const name of JOBS) expect(jobs[name]!.steps.map(({ run }) => run)).toContain(`bash .ci/run ${name}`);
    expect([jobs["gates"]!["timeout-minutes"], jobs["tests"]!["timeout-minutes"]]).toEqual([10, 10]);
  });
});
