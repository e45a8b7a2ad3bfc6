import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { describeMisspelt, readConfig, readSettings, settings } from "../../src/config.ts";
import { createTestDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/media.ts";
import { linesIn, plumbline, run, temporaryDataDir } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";

const folder = prepare(temporaryFolder);
function fileWith(text: string): string {
  const file = join(folder.path, crypto.randomUUID());
  writeFileSync(file, text);
  return file;
}

const SECRET = "J4x0vN8mQz2rTb6yLw9eKs3uHd5gPc7a";

describe("NAME_FILE", () => {
  it.each(["", "\n", "\r\n"])("sets a setting to the content of a file that ends with %j", (end) => {
    const environment = { CURSOR_SECRETS_FILE: fileWith(SECRET + end), PORT_FILE: fileWith(`4000${end}`) };
    expect(readConfig(environment)).toMatchObject({ CURSOR_SECRETS: [SECRET], PORT: 4000 });
  });

  it("works for every setting", () => {
    for (const [name, value] of Object.entries({ DATABASE_URL: "postgresql://u:p@h/d", CURSOR_SECRETS: SECRET, ROLE: "api" }))
      expect(readConfig({ [`${name}_FILE`]: fileWith(value) })).toEqual(readConfig({ [name]: value }));
    // A variable that the service doesn't know can have any value.
    expect(() => readConfig({ SOMETHING_FILE: "/nowhere" })).not.toThrow();
    for (const name of Object.keys(settings.shape))
      expect(() => readConfig({ [`${name}_FILE`]: "/nowhere" })).toThrow(`${name}_FILE names /nowhere, which cannot be read`);
  });

  it("is refused beside NAME, and with a file that can't be read, in one sentence without the value", () => {
    const both = { CURSOR_SECRETS: SECRET, CURSOR_SECRETS_FILE: fileWith(SECRET) };
    expect(() => readConfig(both)).toThrow("The settings CURSOR_SECRETS and CURSOR_SECRETS_FILE are both set; set one of them.");
    expect(() => readConfig({ CURSOR_SECRETS_FILE: folder.path })).toThrow(
      /^The setting CURSOR_SECRETS_FILE names .*\(EISDIR\)\.$/,
    );
    expect(() => readConfig({ CURSOR_SECRETS_FILE: fileWith("secret") })).toThrow(/^The setting CURSOR_SECRETS (?!.*"secret")/);
  });

  it("applies to commands that read only some settings", () => {
    const url = "postgresql://u:p@h/d";
    expect(readSettings({ DATABASE_URL_FILE: fileWith(url), PORT: "x" }, ["DATABASE_URL"])).toEqual({ DATABASE_URL: url });
  });
});

describe("a variable with almost the name of a setting", () => {
  it.each([
    ["CURSOR_SECRET", "CURSOR_SECRETS"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABASE_URLS", "DATABASE_URL"],
    ["DATA_DRI", "DATA_DIR"],
    ["DATADIR", "DATA_DIR"],
    ["RATE_LIMIT", "RATE_LIMITS"],
    ["PUBLIC_URLS", "PUBLIC_URL"],
    ["CURSOR_SECRET_FILE", "CURSOR_SECRETS_FILE"],
  ])("is named with what was meant: %s", (name, meant) => {
    expect(describeMisspelt({ [name]: "" })).toEqual([`${name} is not a setting, so it is ignored; did you mean ${meant}?`]);
  });

  it("isn't seen in the variables of this process, of other programs, and of shells", () => {
    const others = "HOSTNAME HOME PWD USER SHELL LANG TERM POSTGRES_USER POSTGRES_PASSWORD PGHOST PGPORT AWS_REGION S3_BUCKET";
    const alike = "NODE_PATH NODE_OPTIONS NO_PROXY HTTP_PROXY LOGNAME PORT_HTTP DATABASE_HOST DATABASE_NAME KUBERNETES_PORT";
    const names = [...Object.keys(process.env), ...others.split(" "), ...alike.split(" "), ...Object.keys(settings.shape)];
    expect(describeMisspelt(Object.fromEntries(names.map((it) => [it, "x"])))).toEqual([]);
  });

  it("is named in the refusal of a start that lacks the setting", () => {
    const environment = { NODE_ENV: "production", DATABSE_URL: "postgresql://u:canary@h/d", CURSOR_SECRET: SECRET };
    expect(() => readConfig(environment)).toThrow(/did you mean DATABASE_URL\?.*did you mean CURSOR_SECRETS\?/);
    expect(() => readConfig(environment)).not.toThrow(/canary|J4x0/);
  });

  it("is named in the log at start, and is a fault for the doctor", async () => {
    const { stdout, settings } = await startWith({ CURSOR_SECRET: SECRET });
    const sentence = "CURSOR_SECRET is not a setting, so it is ignored; did you mean CURSOR_SECRETS?";
    expect(linesIn(stdout)).toContainEqual(expect.objectContaining({ level: 40, msg: sentence }));
    const doctor = await plumbline({ ...settings, PORT: "0" }, "doctor");
    expect(doctor.exit).toBe(1);
    expect(doctor.stdout).toContain(`{"check":"settings","level":"fault","sentence":"${sentence}"}`);
    expect(stdout + doctor.stdout).not.toContain(SECRET);
  });
});

const database = prepare(createTestDatabase);

/** What a process with these settings prints when it starts. */
async function startWith(more: Readonly<Record<string, string>>) {
  await using dataDir = await temporaryDataDir();
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir.path, LOG_LEVEL: "info", ROLE: "api", ...more };
  await using service = run(settings);
  await service.ready();
  return { stdout: service.stdout(), settings };
}

it.each<[string, Record<string, string>, number[]]>([
  ["says that webhooks can go to private addresses", {}, [30]],
  ["warns of it if other machines reach the service", { HOST: "0.0.0.0", WEBHOOK_PRIVATE_ADDRESSES: "on" }, [40]],
  ["has no such line if other machines reach the service and the setting is auto", { HOST: "0.0.0.0" }, []],
])("the log at start %s", async (_what, more, levels) => {
  const said = linesIn((await startWith(more)).stdout).filter((it) => it.msg?.includes("WEBHOOK_PRIVATE_ADDRESSES"));
  expect(said.map((it) => it["level"])).toEqual(levels);
});
