import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { processesNaming } from "../support/processes.ts";
import { run, temporaryDataDir } from "../support/running.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { itNeeds } from "../support/needs.ts";

/** Starts with settings that must fail, and returns the message. It must be one sentence on stderr, without other output. */
async function refusal(settings: Readonly<Record<string, string>>, dataDir: string): Promise<string> {
  await using service = run({ DATA_DIR: dataDir, ...settings });
  const exit = await service.exited;
  const stderr = service.stderr();
  expect({ exit, stdout: service.stdout() }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toMatch(/^[A-Z][^\n]{10,400}[.:]?[^\n]*\n$/);
  expect(stderr).not.toMatch(/\n\s+at |Error:|node:internal|undefined|\[object/);
  expect(await processesNaming(dataDir)).toEqual([]);
  return stderr.trim();
}

const database = prepare(() => startTestService({ ROLE: "api" }));

describe("a start that can't succeed ends at once with exit code 1 and a one-sentence reason", () => {
  it("if the port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => other.once("listening", done));
    const { port } = other.address() as AddressInfo;
    await using dataDir = await temporaryDataDir();
    expect(await refusal({ PORT: String(port) }, dataDir.path)).toBe(
      `Port ${port} of 127.0.0.1 is taken; stop what listens there or set PORT.`,
    );
    // The port is checked first, so nothing was created.
    expect(await readdir(dataDir.path)).toEqual([]);
    other.close();
  });

  it.each([
    ["no server listens", () => "postgresql://plumbline:secret-password@127.0.0.1:1/plumbline", /127\.0\.0\.1:1\b.*ECONNREFUSED/],
    ["the host doesn't exist", () => "postgresql://plumbline:secret-password@nowhere.invalid/plumbline", /nowhere\.invalid/],
    ["the database doesn't exist", () => database.databaseUrl.replace(/[^/]+$/, "no_such_database"), /no_such_database/],
    ["the password is wrong", () => database.databaseUrl.replace(/:[^:@/]+@/, ":wrong-password@"), /password/],
    ["the URL has no host", () => "postgresql:///plumbline", /DATABASE_URL|database/i],
    ["the URL has an impossible port", () => "postgresql://u:secret-password@127.0.0.1:99999/x", /DATABASE_URL/],
  ])("if DATABASE_URL doesn't work, without the password in the message: %s", async (_what, url, reason) => {
    await using dataDir = await temporaryDataDir();
    const sentence = await refusal({ DATABASE_URL: url() }, dataDir.path);
    expect(sentence).toMatch(reason);
    expect(sentence).not.toMatch(/secret-password|wrong-password/);
  });

  it("if the data directory is a file", async () => {
    await using dataDir = await temporaryDataDir();
    const file = join(dataDir.path, "file");
    await writeFile(file, "");
    expect(await refusal({}, file)).toMatch(/data directory .*file cannot be written/);
    expect(await refusal({}, join(file, "below"))).toMatch(/data directory .* cannot be written/);
  });

  itNeeds("ordinary user", "if the data directory isn't writable", async () => {
    await using dataDir = await temporaryDataDir();
    const closed = join(dataDir.path, "closed");
    await mkdir(closed, { mode: 0o555 });
    expect(await refusal({}, closed)).toMatch(/data directory .*closed cannot be written/);
    expect(await refusal({}, join(closed, "below"))).toMatch(/data directory .* cannot be written/);
  });

  it("if the data is from another version of PostgreSQL, and doesn't change the data", async () => {
    await using dataDir = await temporaryDataDir();
    await mkdir(join(dataDir.path, "postgres"));
    await writeFile(join(dataDir.path, "postgres", "PG_VERSION"), "15\n");
    expect(await refusal({}, dataDir.path)).toMatch(/was written by PostgreSQL 15, and this is PostgreSQL \d+;/);
    expect(await readdir(join(dataDir.path, "postgres"))).toEqual(["PG_VERSION"]);
  });

  it("if FFMPEG_PATH doesn't exist, and stops the PostgreSQL that it has started", async () => {
    await using dataDir = await temporaryDataDir();
    expect(await refusal({ FFMPEG_PATH: "/nowhere/ffmpeg", NODE_ENV: "test" }, dataDir.path)).toMatch(
      /^Videos cannot be processed: .*\/nowhere\/ffmpeg/,
    );
  }, 180_000);

  it("if the key set for JWTs doesn't exist", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = {
      DATABASE_URL: database.databaseUrl,
      AUTH_JWKS: "/nowhere/jwks.json",
      AUTH_ISSUER: "https://id.example.com",
      AUTH_AUDIENCE: "plumbline",
    };
    expect(await refusal(settings, dataDir.path)).toMatch(/^AUTH_JWKS names \/nowhere\/jwks\.json/);
  });

  it.each([
    "http://id.example.com/jwks.json",
    "HTTP://203.0.113.1/jwks",
    "http://127.0.0.1.example.com/jwks",
    "ftp://127.0.0.1/jwks",
    "https://",
  ])("if the key set for JWTs is at %s, where others could replace it", async (AUTH_JWKS) => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATABASE_URL: database.databaseUrl, AUTH_JWKS, AUTH_ISSUER: "https://id.example.com", AUTH_AUDIENCE: "x" };
    expect(await refusal(settings, dataDir.path)).toMatch(/^The setting AUTH_JWKS is a file or an https URL;/);
  });

  it.each([
    ["AUTH_JWKS", "https://plumb:hunter2@id.example.com/jwks.json"],
    ["AUTH_JWKS", "https://hunter2@id.example.com/jwks.json"],
    ["AUTH_JWKS", "HTTPS:plumb:hunter2@id.example.com/jwks.json"],
    ["AUTH_JWKS", "http://plumb:hunter2@127.0.0.1/jwks.json"],
    ["PUBLIC_URL", "https://plumb:hunter2@example.com"],
  ])("if %s has credentials, and doesn't print them: %s", async (name, value) => {
    await using dataDir = await temporaryDataDir();
    const auth = { AUTH_ISSUER: "https://id.example.com", AUTH_AUDIENCE: "x" };
    const said = await refusal({ DATABASE_URL: database.databaseUrl, ...auth, [name]: value }, dataDir.path);
    expect(said).toMatch(new RegExp(`^The setting ${name} is`));
    expect(said).not.toContain("hunter2");
  });

  it.each([
    ["NODE_ENV", "prod"],
    ["ROLE", "web"],
    ["PORT", "70000"],
    ["PORT", "http"],
    ["PORT", "-1"],
    ["HOST", "256.1.1.1"],
    ["PUBLIC_URL", "example.com"],
    ["PUBLIC_URL", "ftp://example.com"],
    ["DATABASE_URL", "mysql://localhost/x"],
    ["DATABASE_POOL_SIZE", "0"],
    ["DATABASE_POOL_SIZE", "many"],
    ["CURSOR_SECRETS", "short"],
    ["RATE_LIMITS", "fast"],
    ["RATE_LIMITS", "writes=0/60"],
    ["RATE_LIMITS", "reads=1/60"],
    ["RATE_LIMITS", "constructor=1/60"],
    ["MAX_IN_FLIGHT", "0"],
    ["MAX_UPLOADS_IN_FLIGHT", "0"],
    ["MAX_UPLOADS_PER_USER", "0"],
    ["IDLE_TIMEOUT_SECONDS", "0"],
    ["MAX_UPLOAD_BYTES", "0"],
    ["MAX_UPLOAD_BYTES", "2GB"],
    ["TRUST_PROXY", "-1"],
    ["TRUST_PROXY", "true"],
    ["AUTH_ALGORITHMS", "HS256"],
    ["MEDIA_ENGINE", "gstreamer"],
    ["VIDEO_CONCURRENCY", "0"],
    ["SHUTDOWN_DELAY_SECONDS", "soon"],
    ["LOG_LEVEL", "loud"],
    ["LOG_REQUESTS", "some"],
    ["LOG_REQUESTS", "1.5"],
    ["METRICS_PORT", "on"],
    ["METRICS_PORT", "70000"],
    ["OBJECT_STORE", "ftp://x"],
    ["KEEP_ORIGINALS", "maybe"],
  ])("if %s is %s, with a reason that names it", async (name, value) => {
    await using dataDir = await temporaryDataDir();
    const sentence = await refusal({ [name]: value }, dataDir.path);
    expect(sentence).toContain(name === "HOST" ? value : name);
    expect(await readdir(dataDir.path)).toEqual([]);
  });

  it.each([
    [",", "has an empty secret"],
    [" , ", "has an empty secret"],
    ["a secret of sixteen characters,", "has an empty secret"],
    ["a secret of sixteen characters,,another of sixteen characters", "has an empty secret"],
    ["a secret of sixteen characters,short", "has secrets of at least 16 characters"],
    ["a secret of sixteen characters, a secret of sixteen characters", "has a secret twice"],
  ])("if CURSOR_SECRETS is %j, with a reason that contains no secret", async (value, reason) => {
    await using dataDir = await temporaryDataDir();
    const sentence = await refusal({ CURSOR_SECRETS: value }, dataDir.path);
    expect(sentence).toMatch(new RegExp(`^The setting CURSOR_SECRETS ${reason}`));
    expect(sentence).not.toMatch(/a secret of sixteen|another of sixteen/);
  });

  it("if settings are missing or invalid, with a reason that names all of them", async () => {
    await using dataDir = await temporaryDataDir();
    expect(await refusal({ NODE_ENV: "production" }, dataDir.path)).toMatch(/DATABASE_URL.*CURSOR_SECRETS/);
    expect(await refusal({ AUTH_JWKS: "https://id.example.com/jwks.json" }, dataDir.path)).toMatch(/AUTH_ISSUER.*AUTH_AUDIENCE/);
    expect(await refusal({ PORT: "x", LOG_LEVEL: "x", ROLE: "x" }, dataDir.path)).toMatch(/ROLE.*PORT.*LOG_LEVEL/);
  });
});
