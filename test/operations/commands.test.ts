import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { prepare } from "../support/prepare.ts";
import { outcomeOf, output, plumbline, plumblineJson, plumblineProcess, repository, run } from "../support/processes.ts";
import { startTestService } from "../support/service.ts";

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** The scripts that run one program of this repository. The others run a tool, or several commands. */
const programs = Object.entries(scripts).filter(
  ([name, line]) => /^(exec )?node (-r \S+ )?[\w./-]+\.ts$/.test(line) && name !== "plumbline",
);

const PATH = [join(repository, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
/** With an impossible data directory, so that no command starts a service by mistake. */
const settings = { DATA_DIR: "/dev/null/data", DATABASE_URL: "" };
const outcome = (line: string) => outcomeOf(run({ ...settings, PATH }, ["-c", line], [], "/bin/sh"));

describe("the scripts of package.json", () => {
  it("are at most twenty, and those that run a program of this repository are all tested", () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
    expect(programs.map(([name]) => name)).toEqual(expect.arrayContaining(["start", "generate", "check", "bench"]));
    // A script that runs a program of this repository in another form would not be tested.
    for (const [, line] of Object.entries(scripts).filter(([name]) => !programs.some(([it]) => it === name)))
      expect(line.replace(/^node -r \S+ scripts\/plumbline\.ts/, "")).not.toMatch(/node (src|scripts|test)\/[\w./-]+\.ts/);
  });

  it.each(programs)("%s prints its usage with --help, and exits with 0", async (name, line) => {
    const { exit, stdout, stderr } = await outcome(`${line} --help`);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    // A sentence that says what it does, then the usage.
    expect(stdout).toMatch(/^[A-Z].*\.\n/);
    expect(stdout).toMatch(new RegExp(`^(Usage: |  )(\\w+=\\S+ )?npm (run (-s )?)?${name}\\b`, "m"));
  });

  it("say in one sentence which Node they need, instead of a stack trace, if they get an older one", async () => {
    const before = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})`;
    for (const name of ["start", "plumbline", "migrate", "test"]) {
      // Only the check itself, which an older Node runs before it reads the program.
      const [, check] = / -r (\S+) /.exec(scripts[name]!) ?? [];
      const { exit, stdout, stderr } = await outcome(`node --import '${before}' --import ${check}  -p 1`);
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toMatch(/^This is Node 20\.20\.2, and this program needs Node \d+: run npm ci without [^\n]*\.\n$/);
    }
  });
});

describe("plumbline", () => {
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
    ["too few arguments", ["job", "retry", "x"], "Only 1 of 2 arguments are given.", "plumbline job retry <queue> <job-id>"],
    ["too many arguments", ["user", "list", "all"], "Unknown argument: all", "plumbline user list"],
    ["a word after a name", ["user", "add", "Ada", "Marsh"], "Unknown argument: Marsh", "plumbline user add <name>"],
    ["words after --", ["contract", "compare", "--", "x"], "Unknown argument: -- x", "plumbline contract compare [revision]"],
    [
      "a missing option",
      ["user", "link", randomUUID(), "--issuer", "https://id.example"],
      "Missing required argument: subject",
      "plumbline user link <user-id>",
    ],
    [
      "options that exclude each other",
      ["user", "expire", "0123456789ab", "--in", "1d", "--at", "2030-01-01T00:00:00Z"],
      "Arguments in and at are mutually exclusive",
      "plumbline user expire <key-id>",
    ],
    [
      "another value than the choices",
      ["video", "list", "--state", "stuck"],
      "Invalid values:",
      `  Argument: state, Given: "stuck", Choices: "queued", "processing", "failed"`,
    ],
    ...Object.entries({
      "user show Ada": "Ada is not an id, which is a UUID in lower case.",
      "video retry x": "x is not an id, which is a UUID in lower case.",
      "user revoke ada": "ada is not the id of a key: twelve letters and digits.",
      "user rotate 0123456789ab --grace 5": "5 is not a duration such as 90s, 30m, 24h or 7d.",
      ...Object.fromEntries(
        ["2030-01-01T00:00:00", "9999-12-31T23:59:59-01:00"].map((it) => [
          `user expire 0123456789ab --at ${it}`,
          `${it} is not a time such as 2026-11-30T12:00:00Z.`,
        ]),
      ),
    }).map(([line, sentence]): [string, string[], string, string] => {
      const [noun, verb] = line.split(" ");
      return [line, line.split(" "), sentence, `plumbline ${noun} ${verb}`];
    }),
  ])("refuses %s with exit code 1, a sentence, and the help", async (_what, args, sentence, usage) => {
    const { exit, stdout, stderr } = await plumbline(settings, ...args);
    const [first, ...others] = stderr.split("\n").filter((it) => it !== "");
    expect({ exit, stdout, first, usage: others[0] }).toEqual({
      ...{ exit: 1, stdout: "", first: sentence },
      usage: expect.stringContaining(usage),
    });
  });

  it("prints its version, and a script for a shell that completes its nouns and verbs", async () => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    expect(await plumblineProcess(settings, "--version")).toEqual({ exit: 0, stdout: `${version}\n`, stderr: "" });
    expect((await plumblineProcess(settings, "completion")).stdout).toContain("plumbline --get-yargs-completions");
    const completed = async (...words: readonly string[]) =>
      (await plumblineProcess(settings, "--get-yargs-completions", "plumbline", ...words)).stdout.trim().split("\n");
    expect(await completed("")).toEqual(nouns);
    expect(await completed("counts", "")).toEqual(["check", "correct"]);
  });
});

describe("plumbline user, beside a running service,", () => {
  const service = prepare(() => startTestService({ ROLE: "api" }));
  const ofService = () => ({ NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir });
  const user = async (...args: readonly string[]) => (await plumblineJson(ofService(), "user", ...args)).lines;

  it("creates a user with a key that works, and revokes it", async () => {
    const added = await plumblineJson(ofService(), "user", "add", "Mara", "--scopes", "posts:read");
    const [{ user_id: userId, api_key: apiKey }] = added.lines as [{ user_id: string; api_key: string }];
    expect(await service.anonymous(`Bearer ${apiKey}`)("GET", "/account")).toMatchObject({
      status: 200,
      body: { user_id: userId, display_name: "Mara", scopes: ["posts:read"] },
    });
    expect(await output(ofService(), "revoke", userId)).toMatch(/^Revoked 1 /);
    expect(await service.db.apiKey.count({ where: { userId, revokedAt: null } })).toBe(0);
    expect(await service.db.auditEntry.count({ where: { userId } })).toBe(2);
  });

  it("shows no user whose deletion has begun, in no list either", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    const listed = async () => (await user("list")).map((it) => it.user_id as string);
    expect(await listed()).toEqual(expect.arrayContaining([ada.userId, ben.userId]));
    await service.db.user.update({ where: { id: ada.userId }, data: { deletedAt: new Date() } });
    const after = await listed();
    expect([after.includes(ada.userId), after.includes(ben.userId)]).toEqual([false, true]);
    expect(await plumbline(ofService(), "user", "show", ada.userId)).toMatchObject({ exit: 1, stdout: "" });
  });

  it("revokes one key or lets it expire, and no other one, and shows which of them work", async () => {
    const [{ user_id: userId }] = (await user("add", "Ada")) as [{ user_id: string }];
    const keys: { readonly api_key: string }[] = [];
    for (const _ of [1, 2]) keys.push(...(await user("key", userId)));
    const [revoked, expired] = keys.map((it) => it.api_key.split("_")[1]!);
    expect(await user("revoke", revoked!)).toMatchObject([{ user_id: userId, keys: 1 }]);
    await user("expire", expired!);
    const [{ api_keys: shown }] = await user("show", userId);
    expect(shown).toMatchObject([{ status: "valid" }, { id: revoked, status: "revoked" }, { id: expired, status: "expired" }]);
  });

  it("deletes a user only with --yes, and leaves the rest to a job", async () => {
    const { userId } = await service.as();
    const jobs = async () => {
      const [row] = await service.db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int FROM pgboss.job WHERE strpos(data::text, ${userId}) > 0`;
      return row!.count;
    };
    const isDeleted = async () => (await service.db.user.findUniqueOrThrow({ where: { id: userId } })).deletedAt !== null;
    const refused = await plumbline(ofService(), "user", "delete", userId);
    expect(refused).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining("Nothing was changed. Add --yes") });
    expect([await isDeleted(), await jobs()]).toEqual([false, 0]);
    expect(await user("delete", userId, "--yes")).toEqual([{ user_id: userId, status: "deleting" }]);
    expect([await isDeleted(), await jobs()]).toEqual([true, 1]);
  });

  it("links a user to one subject, which no other user of its issuer has, and to another one only after it was unlinked", async () => {
    const [{ userId }, eve] = [await service.as(), await service.as()];
    const link = (subject: string, { id = userId, issuer = "https://id.example" } = {}) =>
      plumbline(ofService(), "user", "link", id, "--subject", subject, "--issuer", issuer);
    const subject = async () => (await service.db.user.findUniqueOrThrow({ where: { id: userId } })).subject;
    const refused = (reason: string) => ({ exit: 1, stdout: "", stderr: expect.stringContaining(reason) });
    expect(await link("ada")).toMatchObject({ exit: 0 });
    expect(await link("another")).toMatchObject(
      refused(`User ${userId} is already linked to ada of https://id.example. Unlink it first.`),
    );
    expect(await link("ada", { id: eve.userId })).toMatchObject(refused(`The JWTs of ada already belong to user ${userId}`));
    expect(await link("ada", { id: eve.userId, issuer: "https://other.example" })).toMatchObject({ exit: 0 });
    expect(await subject()).toBe("ada");
    await output(ofService(), "unlink", userId);
    expect(await link("another")).toMatchObject({ exit: 0 });
    expect(await subject()).toBe("another");
  });

  it.each([
    [7 * 24, "1h", "at the end of the grace period"],
    [1, "7d", "no later than it would have"],
  ])("replaces a key that expires in %i hours with a grace period of %s: the old one ends %s", async (hours, grace) => {
    const [{ api_key: old }] = (await user("add", "Ada")) as [{ api_key: string }];
    const id = old.split("_")[1]!;
    const at = new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await user("expire", id, "--at", at)).toMatchObject([{ expires_at: at }]);
    const [{ old_expires_at: expiry }] = (await user("rotate", id, "--grace", grace)) as [{ old_expires_at: string }];
    const leftSeconds = (Date.parse(expiry) - Date.now()) / 1_000;
    expect(leftSeconds).toBeGreaterThan(3_300);
    expect(leftSeconds).toBeLessThanOrEqual(3_600);
    if (hours === 1) expect(expiry).toBe(at);
  });
});
