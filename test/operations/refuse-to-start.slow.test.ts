import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { LoadService } from "../jest/environment.ts";
import { createTestDatabase } from "../support/database.ts";
import { itNeeds } from "../support/needs.ts";
import { outcomeOf, processesNaming, environmentWith, run, temporaryDataDir } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";

const database = prepare(createTestDatabase);
const dataDir = prepare(temporaryDataDir);

/** The reason must be one sentence. */
function expectSentence(reason: string): string {
  expect(reason).toMatch(/^[A-Z][^\n]{10,400}[.:]?[^\n]*$/);
  expect(reason).not.toMatch(/\n\s+at |Error:|node:internal|undefined|\[object/);
  return reason;
}

/** Starts a process with settings that must fail. It prints only the reason, and leaves no process. */
async function refusalOfProcess(settings: Readonly<Record<string, string>>): Promise<string> {
  const { exit, stdout, stderr } = await outcomeOf(run({ DATA_DIR: dataDir.path, ...settings }));
  expect({ exit, stdout, left: await processesNaming(dataDir.path) }).toEqual({ exit: 1, stdout: "", left: [] });
  expect(stderr).toMatch(/\n$/);
  return expectSentence(stderr.trim());
}

/** The same in the process of the tests. What has a message for operators is a StartupError, which a process prints as above. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const { readConfig, startServer } = await (globalThis as unknown as { loadService: LoadService }).loadService();
  const environment = environmentWith({ DATA_DIR: dataDir.path, DATABASE_URL: database.url, ...settings });
  const start = async () => (await startServer(readConfig(environment))).close();
  const error = await start().then(
    () => new Error("It has started."),
    (reason: unknown) => reason as Error,
  );
  expect(error).toMatchObject({ name: "StartupError" });
  return expectSentence(error.message);
}

describe("a start that can't succeed ends at once with exit code 1 and a one-sentence reason", () => {
  it("if the port is in use, before it has created anything", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => other.once("listening", done));
    const { port } = other.address() as AddressInfo;
    const reason = await refusalOfProcess({ PORT: String(port) });
    expect(reason).toBe(`Port ${port} of 127.0.0.1 is taken; stop what listens there or set PORT.`);
    expect(await readdir(dataDir.path)).toEqual([]);
    other.close();
  });

  it("if settings are missing or invalid, with a reason that names all of them", async () => {
    expect(await refusalOfProcess({ PORT: "x", LOG_LEVEL: "x", ROLE: "x" })).toMatch(/ROLE.*PORT.*LOG_LEVEL/);
    expect(await refusal({ NODE_ENV: "production", DATABASE_URL: "" })).toMatch(/DATABASE_URL.*CURSOR_SECRETS/);
    expect(await refusal({ AUTH_JWKS: "https://id.example.com/jwks.json" })).toMatch(/AUTH_ISSUER.*AUTH_AUDIENCE/);
    expect(await readdir(dataDir.path)).toEqual([]);
  });

  it.each([
    ["no server listens", () => "postgresql://plumbline:secret-password@127.0.0.1:1/plumbline", /127\.0\.0\.1:1\b.*ECONNREFUSED/],
    ["the host doesn't exist", () => "postgresql://plumbline:secret-password@nowhere.invalid/plumbline", /nowhere\.invalid/],
    ["the database doesn't exist", () => database.url.replace(/[^/]+$/, "no_such_database"), /no_such_database/],
    ["the password is wrong", () => database.url.replace(/:[^:@/]+@/, ":wrong-password@"), /password/],
    ["the URL has no host", () => "postgresql:///plumbline", /DATABASE_URL|database/i],
    ["the URL has an impossible port", () => "postgresql://u:secret-password@127.0.0.1:99999/x", /DATABASE_URL/],
  ])("if DATABASE_URL doesn't work, without the password in the message: %s", async (_what, url, reason) => {
    const sentence = await refusal({ DATABASE_URL: url() });
    expect(sentence).toMatch(reason);
    expect(sentence).not.toMatch(/secret-password|wrong-password/);
  });

  it("if the data directory is a file, or the data is from another version of PostgreSQL, which doesn't change", async () => {
    const file = join(dataDir.path, "file");
    await writeFile(file, "");
    expect(await refusal({ DATABASE_URL: "", DATA_DIR: file })).toMatch(/data directory .*file cannot be written/);
    expect(await refusal({ DATABASE_URL: "", DATA_DIR: join(file, "below") })).toMatch(/data directory .* cannot be written/);
    const old = join(dataDir.path, "old");
    await mkdir(join(old, "postgres"), { recursive: true });
    await writeFile(join(old, "postgres", "PG_VERSION"), "15\n");
    const reason = await refusal({ DATABASE_URL: "", DATA_DIR: old });
    expect(reason).toMatch(/was written by PostgreSQL 15, and this is PostgreSQL \d+;/);
    expect(await readdir(join(old, "postgres"))).toEqual(["PG_VERSION"]);
  });

  itNeeds("ordinary user", "if the data directory isn't writable", async () => {
    const closed = join(dataDir.path, "closed");
    await mkdir(closed, { mode: 0o555 });
    for (const DATA_DIR of [closed, join(closed, "below")])
      expect(await refusal({ DATABASE_URL: "", DATA_DIR })).toMatch(/data directory .*closed.* cannot be written/);
  });

  it("if FFMPEG_PATH doesn't exist, and stops the PostgreSQL that it has started", async () => {
    const reason = await refusalOfProcess({ FFMPEG_PATH: "/nowhere/ffmpeg", NODE_ENV: "test" });
    expect(reason).toMatch(/^Videos cannot be processed: .*\/nowhere\/ffmpeg/);
  });

  const AUTH = { AUTH_ISSUER: "https://id.example.com", AUTH_AUDIENCE: "plumbline" };
  const NOT_SAFE = /^The setting AUTH_JWKS is a file or an https URL;/;
  const SECRET = "canary of sixteen characters";
  const EMPTY = /^The setting CURSOR_SECRETS has an empty secret/;
  it.each<[name: string, value: string, reason?: RegExp]>([
    ["NODE_ENV", "prod"],
    ["ROLE", "web"],
    ["PORT", "70000"],
    ["HOST", "256.1.1.1", /256\.1\.1\.1/],
    ["PUBLIC_URL", "example.com"],
    ["PUBLIC_URL", "https://plumb:canary@example.com", /^The setting PUBLIC_URL is/],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["DATABASE_POOL_SIZE", "0"],
    ["CURSOR_SECRETS", "short"],
    ["CURSOR_SECRETS", ",", EMPTY],
    ["CURSOR_SECRETS", " , ", EMPTY],
    ["CURSOR_SECRETS", `${SECRET},`, EMPTY],
    ["CURSOR_SECRETS", `${SECRET},,another ${SECRET}`, EMPTY],
    ["CURSOR_SECRETS", `${SECRET},short`, /^The setting CURSOR_SECRETS has secrets of at least 16 characters/],
    ["CURSOR_SECRETS", `${SECRET}, ${SECRET}`, /^The setting CURSOR_SECRETS has a secret twice/],
    ["RATE_LIMITS", "writes=0/60"],
    ["RATE_LIMITS", "reads=1/60"],
    ["MAX_IN_FLIGHT", "0"],
    ["IDLE_TIMEOUT_SECONDS", "0"],
    ["MAX_UPLOAD_BYTES", "2GB"],
    ["TRUST_PROXY", "-1"],
    ["AUTH_ALGORITHMS", "HS256"],
    // Where others could replace the key set, and with credentials.
    ["AUTH_JWKS", "http://id.example.com/jwks.json", NOT_SAFE],
    ["AUTH_JWKS", "HTTP://203.0.113.1/jwks", NOT_SAFE],
    ["AUTH_JWKS", "http://127.0.0.1.example.com/jwks", NOT_SAFE],
    ["AUTH_JWKS", "ftp://127.0.0.1/jwks", NOT_SAFE],
    ["AUTH_JWKS", "https://", NOT_SAFE],
    ["AUTH_JWKS", "https://plumb:canary@id.example.com/jwks.json", /^The setting AUTH_JWKS is/],
    ["AUTH_JWKS", "https://canary@id.example.com/jwks.json", /^The setting AUTH_JWKS is/],
    ["AUTH_JWKS", "HTTPS:plumb:canary@id.example.com/jwks.json", /^The setting AUTH_JWKS is/],
    ["AUTH_JWKS", "http://plumb:canary@127.0.0.1/jwks.json", /^The setting AUTH_JWKS is/],
    ["AUTH_JWKS", "/nowhere/jwks.json", /^AUTH_JWKS names \/nowhere\/jwks\.json/],
    ["MEDIA_ENGINE", "gstreamer"],
    ["VIDEO_CONCURRENCY", "0"],
    ["SHUTDOWN_DELAY_SECONDS", "soon"],
    ["LOG_LEVEL", "loud"],
    ["LOG_REQUESTS", "1.5"],
    ["METRICS_PORT", "on"],
    ["OBJECT_STORE", "ftp://x"],
    ["KEEP_ORIGINALS", "maybe"],
  ])("if %s is %j, with a reason that names it, and contains no secret", async (name, value, reason = new RegExp(name)) => {
    const sentence = await refusal({ ...(name === "AUTH_JWKS" ? AUTH : {}), [name]: value });
    expect(sentence).toMatch(reason);
    expect(sentence).not.toMatch(/canary/);
  });
});
