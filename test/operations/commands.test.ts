import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { output, plumbline, plumblineJson } from "../support/plumbline.ts";
import { repository } from "../support/running.ts";
import { startTestService } from "../support/service.ts";

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** The scripts that run one program of this repository. The others run a tool, or several commands. */
const programs = Object.entries(scripts).filter(
  ([name, line]) => /^(exec )?node (-r \S+ )?[\w./-]+\.ts$/.test(line) && name !== "plumbline",
);

async function outcome(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn("/bin/sh", ["-c", line], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    // An impossible data directory, so that no command starts a service by mistake.
    env: {
      PATH: [join(repository, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: process.env["TEST_COMPILE_CACHE"],
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

describe("the scripts of package.json", () => {
  it("are at most twenty, and those that run a program of this repository are all tested", () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
    expect(programs.map(([name]) => name)).toEqual(expect.arrayContaining(["start", "generate", "check", "bench"]));
    // A script that runs a program of this repository in another form would not be tested.
    for (const [, line] of Object.entries(scripts).filter(([name]) => !programs.some(([it]) => it === name)))
      expect(line.replace(/^node -r \S+ scripts\/plumbline\.ts/, "")).not.toMatch(/node (src|scripts|test)\/[\w./-]+\.ts/);
  });

  it.each(programs)("%s prints its usage with --help, and exits with 0", async (name, line) => {
    const { code, stdout, stderr } = await outcome(`${line} --help`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // A sentence that says what it does, then the usage.
    expect(stdout).toMatch(/^[A-Z].*\.\n/);
    expect(stdout).toMatch(new RegExp(`^(Usage: |  )(\\w+=\\S+ )?npm (run (-s )?)?${name}\\b`, "m"));
  });

  it("say in one sentence which Node they need, instead of a stack trace, if they get an older one", async () => {
    const before = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})`;
    for (const name of ["start", "plumbline", "migrate", "test"]) {
      // Only the check itself, which an older Node runs before it reads the program.
      const [, check] = / -r (\S+) /.exec(scripts[name]!) ?? [];
      const { code, stdout, stderr } = await outcome(`node --import '${before}' --import ${check}  -p 1`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^This is Node 20\.20\.2, and this program needs Node \d+: run npm ci without [^\n]*\.\n$/);
    }
  });
});

describe("plumbline", () => {
  const settings = { DATA_DIR: "/dev/null/data", DATABASE_URL: "" };
  /** The commands that a help lists, without their arguments. */
  const listedIn = (help: string) => [...help.matchAll(/^ {2}plumbline ([a-z-]+(?: [a-z-]+)?)/gm)].map((it) => it[1]!);
  async function helpOf(...command: readonly string[]): Promise<string> {
    const { exit, stdout, stderr } = await plumbline(settings, ...command, "--help");
    expect({ command, exit, stderr }).toEqual({ command, exit: 0, stderr: "" });
    return stdout;
  }
  let nouns: readonly string[];
  beforeAll(async () => {
    nouns = listedIn(await helpOf());
  });

  it("answers --help for each noun and each verb", async () => {
    expect(nouns).toEqual(expect.arrayContaining(["user", "audit-log", "store", "counts", "doctor", "video", "job", "upload"]));
    const verbs = (await Promise.all(nouns.map((noun) => helpOf(noun)))).flatMap(listedIn);
    expect(verbs).toEqual(expect.arrayContaining(["user add", "user proof", "database migrate", "contract compare"]));
    for (const verb of verbs) expect(await helpOf(...verb.split(" "))).toMatch(new RegExp(`^plumbline ${verb}\\b`));
  });

  it.each([
    ["no command", [], "Name a command.", "Usage: plumbline <noun> <verb>"],
    ["an unknown noun", ["usr", "add"], "Did you mean user?", "Usage: plumbline <noun> <verb>"],
    ["an unknown verb", ["store", "chek"], "Did you mean check?", "plumbline store"],
    ["no verb", ["store"], "Name a verb.", "plumbline store"],
    ["an unknown option", ["store", "check", "--bites"], "Unknown argument: bites", "plumbline store check"],
    [
      "too few arguments",
      ["job", "retry", "maintenance"],
      "Only 1 of 2 arguments are given.",
      "plumbline job retry <queue> <job-id>",
    ],
    ["too many arguments", ["user", "list", "all"], "Unknown argument: all", "plumbline user list"],
    [
      "arguments after --",
      ["contract", "compare", "--", "main"],
      "Unknown argument: -- main",
      "plumbline contract compare [revision]",
    ],
    [
      "a wrong argument",
      ["user", "show", "Ada"],
      "Ada is not an id, which is a UUID in lower case.",
      "plumbline user show <user-id>",
    ],
  ])("refuses %s with exit code 1, a sentence, and the help", async (_what, args, sentence, usage) => {
    const { exit, stdout, stderr } = await plumbline(settings, ...args);
    expect({ exit, stdout, lines: stderr.split("\n").slice(0, 3) }).toEqual({
      exit: 1,
      stdout: "",
      lines: [sentence, "", usage],
    });
  });

  it("prints its version, and a script for a shell that completes its nouns and verbs", async () => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    expect(await plumbline(settings, "--version")).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
    expect((await plumbline(settings, "completion")).stdout).toContain("plumbline --get-yargs-completions");
    const completed = async (...words: readonly string[]) =>
      (await plumbline(settings, "--get-yargs-completions", "plumbline", ...words)).stdout.trim().split("\n");
    expect(await completed("")).toEqual(nouns);
    expect(await completed("counts", "")).toEqual(["check", "correct"]);
  });

  it("changes the users of a running service: one command creates a user with a key that works, another revokes it", async () => {
    await using service = await startTestService({ ROLE: "api" });
    const settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
    const added = await plumblineJson(settings, "user", "add", "Mara", "--scopes", "posts:read");
    const [{ user_id: userId, api_key: apiKey }] = added.lines as [{ user_id: string; api_key: string }];
    expect(await service.anonymous(`Bearer ${apiKey}`)("GET", "/account")).toMatchObject({
      status: 200,
      body: { user_id: userId, display_name: "Mara", scopes: ["posts:read"] },
    });
    expect(await output(settings, "revoke", userId)).toMatch(/^Revoked 1 /);
    expect(await service.db.apiKey.count({ where: { userId, revokedAt: null } })).toBe(0);
    expect(await service.db.auditEntry.count()).toBe(2);
  });
});
