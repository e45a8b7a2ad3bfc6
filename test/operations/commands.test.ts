import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { repository } from "../support/running.ts";

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** The commands that are programs of this repository; the others are those of a tool, or several in a row. */
const ours = Object.entries(scripts).filter(([, line]) => /^(exec )?node [\w./-]+\.ts$/.test(line));

async function outcome(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn("/bin/sh", ["-c", line], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    // A data directory that cannot be, so that nothing can be started by mistake.
    env: {
      PATH: [join(repository, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
      HOME: process.env["HOME"],
      DATA_DIR: "/dev/null/data",
      DATABASE_URL: "",
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  const [code] = (await once(child, "close")) as [number];
  return { code, ...output };
}

describe("the commands of package.json", () => {
  it("are all found", () => {
    expect(ours.map(([name]) => name)).toEqual(
      expect.arrayContaining(["start", "generate", "migrate", "user", "store", "upload", "mock", "check", "contract:compat"]),
    );
    // Whatever else runs a file of ours would be missed.
    for (const [, line] of Object.entries(scripts).filter(([name]) => !ours.some(([it]) => it === name)))
      expect(line).not.toMatch(/node (src|scripts|test)\/[\w./-]+\.ts/);
  });

  it.each(ours)("%s says with --help how it is used, and exits with 0", async (name, line) => {
    const { code, stdout, stderr } = await outcome(`${line} --help`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // A sentence on what it does, then the ways to call it.
    expect(stdout).toMatch(/^[A-Z].*\.\n/);
    expect(stdout).toMatch(new RegExp(`^(Usage: |  )(\\w+=\\S+ )?npm (run (-s )?)?${name}\\b`, "m"));
  });

  it("refuse an option that they do not know, and say how they are used", async () => {
    const { code, stdout, stderr } = await outcome(`${scripts["user"]} --no-such-option`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Unknown option '--no-such-option'/);
    expect(stderr).toMatch(/^Usage:/m);
  });
});
