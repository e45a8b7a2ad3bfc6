import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";

const SRC = new URL("../../src/", import.meta.url);
const AREAS = ["urls", "notifications", "video-uploads", "conversations", "posts", "system"];
const LINES_MAX = 250;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(new URL(name, SRC), "utf8") }));

/** Files outside `room` that have what belongs into it. */
function strays(pattern: RegExp, room: RegExp): string[] {
  return files.filter(({ name, text }) => !room.test(name) && pattern.test(text)).map(({ name }) => name);
}

/** The rooms of the house. A rule that gets in the way is changed here, in sight, or not at all. */
describe("every line knows its room", () => {
  it("finds the files it is to judge", () => {
    expect(files.length).toBeGreaterThan(40);
  });

  it.each([
    ["Express is only in http/", /from "(express|express-openapi-validator|cors|helmet)"/, /^http\//],
    [
      "the Prisma client is only behind database/ and the stores",
      /from "#generated\/prisma\/client\.ts"/,
      /^(database\/|idempotency\/|[a-z-]+\/store\.ts$)/,
    ],
    ["the PostgreSQL driver is only in database/", /from "(pg|@prisma\/adapter-pg)"/, /^(database|embedded-postgres)\//],
    ["the environment is read in one file", /process\.env/, /^main\.ts$/],
    ["the generated types are imported in one file", /#generated\/openapi\.d\.ts/, /^contract\/contract\.ts$/],
    ["the embedded PostgreSQL has one door", /embedded-postgres\/(?!index\.ts")/, /^embedded-postgres\//],
    ["the S3 client is only in storage/", /"@aws-sdk\//, /^storage\//],
    ["pg-boss is only in jobs/", /from "pg-boss"/, /^jobs\//],
    [
      "child processes are only in embedded-postgres/ and the media engine",
      /from "node:child_process"/,
      /^(embedded-postgres\/|video-uploads\/media\/)/,
    ],
    ["nothing prints but the entry", /console\.(log|error|warn)\(/, /^(main\.ts|video-uploads\/media\/wasm-host\.ts)$/],
    ["a status of refusal is said in the catalogue and in http/ only", /status: [45]\d\d\b/, /^http\//],
  ])("%s", (_rule, pattern, room) => {
    expect(strays(pattern, room)).toEqual([]);
  });

  it("areas never import each other", () => {
    const crossings = files.flatMap(({ name, text }) => {
      const own = AREAS.find((area) => name.startsWith(`${area}/`));
      if (own === undefined) return [];
      const others = AREAS.filter((area) => area !== own && new RegExp(`from "(\\.\\./)+${area}/`).test(text));
      return others.map((other) => `${name} imports ${other}`);
    });
    expect(crossings).toEqual([]);
  });

  it("http/ knows neither areas nor the database", () => {
    const crossings = files.filter(
      ({ name, text }) =>
        name.startsWith("http/") && new RegExp(`from "(\\.\\./)+(database|jobs|storage|${AREAS.join("|")})/`).test(text),
    );
    expect(crossings.map(({ name }) => name)).toEqual([]);
  });

  it("stores know nothing of the contract and open no transaction", () => {
    const crossings = files.filter(
      ({ name, text }) =>
        /store\.ts$/.test(name) &&
        !name.startsWith("storage/") &&
        /from "(\.\.\/)+(contract\/contract|failure)\.ts"|\$transaction|transaction\(/.test(text),
    );
    expect(crossings.map(({ name }) => name)).toEqual([]);
  });

  it(`no file is longer than ${LINES_MAX} lines`, () => {
    const long = files.filter(({ text }) => text.split("\n").length > LINES_MAX + 1).map(({ name }) => name);
    expect(long).toEqual([]);
  });
});
