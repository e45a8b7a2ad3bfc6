import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { repository } from "../support/running.ts";
import { startTestService } from "../support/service.ts";
import { operateInJson, output } from "../support/user-command.ts";

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** The commands that run one program of this repository. The others run a tool, or several commands. */
const programs = Object.entries(scripts).filter(([, line]) => /^(exec )?node (-r \S+ )?[\w./-]+\.ts$/.test(line));

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

describe("the commands of package.json", () => {
  it("are all tested", () => {
    expect(programs.map(([name]) => name)).toEqual(
      expect.arrayContaining(["start", "generate", "migrate", "user", "store", "upload", "check", "contract:compat"]),
    );
    // A command that runs a program of this repository in another form would not be tested.
    for (const [, line] of Object.entries(scripts).filter(([name]) => !programs.some(([it]) => it === name)))
      expect(line).not.toMatch(/node (src|scripts|test)\/[\w./-]+\.ts/);
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
    for (const name of ["start", "user", "migrate", "test"]) {
      // Only the check itself, which an older Node runs before it reads the program.
      const [, check] = / -r (\S+) /.exec(scripts[name]!) ?? [];
      const { code, stdout, stderr } = await outcome(`node --import '${before}' --import ${check}  -p 1`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^This is Node 20\.20\.2, and this program needs Node \d+: run npm ci without [^\n]*\.\n$/);
    }
  });

  it("change the users of a running service: one creates a user with a key that works, another revokes it", async () => {
    await using service = await startTestService({ ROLE: "api" });
    const settings = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
    const added = await operateInJson(settings, "user", "add", "Mara", "--scopes", "posts:read");
    const [{ user_id: userId, api_key: apiKey }] = added.lines as [{ user_id: string; api_key: string }];
    expect(await service.anonymous(`Bearer ${apiKey}`)("GET", "/account")).toMatchObject({
      status: 200,
      body: { user_id: userId, display_name: "Mara", scopes: ["posts:read"] },
    });
    expect(await output(settings, "revoke", userId)).toMatch(/^Revoked 1 /);
    expect(await service.db.apiKey.count({ where: { userId, revokedAt: null } })).toBe(0);
    expect(await service.db.auditEntry.count()).toBe(2);
  });

  it("reject an unknown option with exit code 1 and the usage", async () => {
    const { code, stdout, stderr } = await outcome(`${scripts["user"]} --no-such-option`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Unknown option '--no-such-option'/);
    expect(stderr).toMatch(/^Usage:/m);
  });
});
