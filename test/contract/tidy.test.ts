import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { areas } from "./support/areas.ts";

const SRC = new URL("../../src/", import.meta.url);
const AREAS = [...areas, "health"];
/** The folders with a store and wire.ts: an area, or each resource of an area that has several. `health` has none. */
const RESOURCES = globSync("**/handlers.ts", { cwd: SRC })
  .map(posix.dirname)
  .filter((it) => it !== "health");
const SHAPE = ["handlers.ts", "service.ts", "wire.ts"];
/** Whether all queries of a folder are in its store.sql, so that a store.ts would only export them again. */
const isStoreOfSql = (folder: string) =>
  existsSync(new URL(`${folder}/store.sql`, SRC)) && !existsSync(new URL(`${folder}/store.ts`, SRC));
const COMPOSITION_ROOT = ["api.ts", "worker.ts", "server.ts"];
/** Every folder and file at the top of src/, in order. Each imports only from those before it. */
const FOLDERS = [
  ...["contract", "failure.ts", "util", "telemetry", "settings", "config.ts"],
  ...["embedded-postgres", "database", "audit-trail"],
  ...["pagination", "idempotency", "jobs", "storage", "media", "auth"],
  ...["limits", "long-poll"],
  ...AREAS,
  "personal-data",
  "http",
  "observability",
  "consistency",
  ...COMPOSITION_ROOT,
  "demo",
  ...["start.ts", "main.ts"],
];
/**
 * The layers of an area, lowest first: a file imports from its own layer and the layers below. Other files have no layer, but
 * lead to none above the file that imports them.
 */
const FLOORS = [["store.ts"], ["jobs.ts"], ["service.ts"], ["wire.ts"], ["handlers.ts"], ["index.ts", "tables.ts"]];
/** Queries of Prisma that are SQL, and the beginnings of statements. */
const SQL =
  /\$(query|execute)Raw|["'`]\s*\(?(SELECT|INSERT|UPDATE|DELETE|WITH|BEGIN|COMMIT|SET|SHOW|LOCK|LISTEN|NOTIFY|(CREATE|ALTER|DROP|COMMENT ON|TRUNCATE)( [A-Z]+)?)[\s;]/;
const FILES_AT_ROOT_MAX = 7;
const LINES_MAX = 250;
const FUNCTION_LINES_MAX = 60;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(new URL(name, SRC), "utf8") }));

const folderOf = (name: string) => name.split("/")[0]!;

/** Every import from one file of src/ to another, including imports of types. */
const imports = files.flatMap(({ name, text }) =>
  [...text.matchAll(/(?:from|import) ?\(?"(\.[^"]+)"/g)].map(([, path]) => ({
    from: name,
    to: posix.normalize(posix.join(posix.dirname(name), path!)),
  })),
);

/** Files outside `folder` with code that belongs there. */
function strays(pattern: RegExp, folder: RegExp): string[] {
  return files.filter(({ name, text }) => !folder.test(name) && pattern.test(text)).map(({ name }) => name);
}

/** The functions of a file, those within others included, with their names and line counts. */
function functionsIn({ name, text }: (typeof files)[number]): { readonly at: string; readonly lines: number }[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: { at: string; lines: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const first = lineOf(node.getStart());
      found.push({ at: `${name}:${first} ${node.name?.getText() ?? ""}`.trim(), lines: lineOf(node.end) - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The structure of src/. If a rule is in the way of a change, change the rule here. */
describe("every line of src/ is in its folder", () => {
  it.each<[rule: string, pattern: RegExp, folder: RegExp]>([
    ["Express", /from "(express|express-openapi-validator)["/]/, /^http\//],
    ["code that knows the validator", /express-openapi-validator|\.openapi\b|x-eov-/, /^http\/validation\//],
    [
      "the internals of the validator",
      /validator\/dist\/|\b_getOrBuildValidator\b|\._validate\b/,
      /^http\/validation\/library\.ts$/,
    ],
    ["the application of Express", /\bexpress\(\)/, /^http\/app\.ts$/],
    ["the PostgreSQL driver", /from "(pg|@prisma\/adapter-pg)"/, /^database\//],
    ["the Prisma client", /from "#generated\/prisma\/client\.ts"/, /^(database\/|idempotency\/|([a-z-]+\/)+store\.ts$)/],
    ["the library for metrics", /from "prom-client"/, /^observability\//],
    ["the S3 client", /"@aws-sdk\//, /^storage\//],
    ["pg-boss", /from "pg-boss["/]|pgboss\./, /^jobs\//],
    ["OpenTelemetry", /"@opentelemetry\/|"@prisma\/instrumentation"/, /^telemetry\/sdk\.ts$/],
    ["the start of child processes", /from "node:child_process"/, /^(embedded-postgres|media)\//],
    ["the embedded PostgreSQL, but for its index.ts,", /embedded-postgres\/(?!index\.ts")/, /^embedded-postgres\//],
    ["the bundle", /generated\/openapi\.(?!d\.ts)/, /^contract\/bundle\.ts$/],
    ["the generated types", /#generated\/openapi\.d\.ts/, /^contract\/contract\.ts$/],
    ["the environment", /process\.env/, /^main\.ts$/],
    ["printing", /console\.(log|error|warn)\(/, /^(start\.ts|util\/command\.ts|media\/wasm-host\.ts)$/],
    ["a status of an error, but for the catalogue,", /status: [45]\d\d\b/, /^http\//],
    [
      "the match of a request to an operation, and before there is an application, to the liveness check,",
      /\bpatternOf\(|\bserved\.get\(|\boperations\.\w+\.path\b|=== (operation|it)\.path\b/,
      /^http\/(router|listener)\.ts$/,
    ],
    [
      "a query of Prisma",
      /\b(tx|db)\.\w+\.(find|create|update|delete|upsert|count|aggregate)\w*\(/,
      /^(database|idempotency|auth|demo)\/|\/([a-z]+-)?store\.ts$/,
    ],
    // The first statement of a new cluster, and SQLite's, for which nothing generates types.
    ["SQL, but for .sql files,", SQL, /^(database\/|embedded-postgres\/cluster\.ts$|util\/process-lock\.ts$)/],
    [
      "the begin of a transaction",
      /\btransaction\(/,
      /^(database|idempotency)\/|\/(service|jobs)\.ts$|^jobs\/dependents\.ts$|^urls\/clicks\.ts$|^video-uploads\/(worker\/|objects\/storage-quota\.ts$)/,
    ],
    [
      "a cursor or another token",
      /\b(en|de)code\(/,
      /^(pagination\/|notifications\/seen\.ts$|consistency\/read-routing\.ts$|video-uploads\/playback\/links\.ts$)/,
    ],
    [
      "HTTP (a status, header, entity tag or wire format), but for files other than services,",
      /\bstatus: [1-5]\d\d\b|\b\w?[Ee][Tt]ag|"[A-Z][a-z]+(-[A-Z][a-z]+)+"|\b(Location|If-Match|headers?)\b|wire\.ts"/,
      /^(?!.*service\.ts$)/,
    ],
    [
      "state that outlives a request, but for folders without an area,",
      /^(export )?(let |const \w+(: [^=]+)? = new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\))/m,
      new RegExp(`^(?!(${AREAS.join("|")})/)`),
    ],
  ])("%s is only in its place: %s in %s", (_rule, pattern, folder) => {
    expect(files.length).toBeGreaterThan(40);
    expect(strays(pattern, folder)).toEqual([]);
  });

  it("statements are used only in stores, in folders without an area, and beside a store.sql without a store.ts", () => {
    const users = strays(/from "#generated\/sql\//, /^(database|idempotency|auth)\/|\/([a-z]+-)?store\.ts$/);
    expect(users.filter((it) => !isStoreOfSql(posix.dirname(it)))).toEqual([]);
  });

  it("areas never import each other, and http/ imports neither areas nor the database", () => {
    const areaOf = (file: string) => AREAS.find((area) => file.startsWith(`${area}/`));
    const crossings = imports.filter(({ from, to }) =>
      from.startsWith("http/")
        ? areaOf(to) !== undefined || /^(database|jobs|storage)\//.test(to)
        : areaOf(from) !== undefined && areaOf(to) !== undefined && areaOf(from) !== areaOf(to),
    );
    expect(crossings).toEqual([]);
  });

  it("every import leads to the same folder or an earlier one", () => {
    expect(imports.length).toBeGreaterThan(300);
    const unknown = files.map(({ name }) => folderOf(name)).filter((folder) => !FOLDERS.includes(folder));
    expect(unknown).toEqual([]);
    const upward = imports.filter(({ from, to }) => FOLDERS.indexOf(folderOf(to)) > FOLDERS.indexOf(folderOf(from)));
    expect(upward).toEqual([]);
  });

  it("the tables of pg-boss are used only in jobs/", () => {
    const sql = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((it) => it.endsWith(".sql"));
    const users = sql.filter((it) => /\bpgboss\./.test(readFileSync(new URL(it, SRC), "utf8")));
    expect(users.sort()).toEqual(["jobs/jobs_of.function.sql", "jobs/store.sql"]);
  });

  it("no file of an area imports from a layer above its own, not even through a file without a layer", () => {
    const floorOf = (file: string) => FLOORS.findIndex((names) => names.includes(posix.basename(file)));
    const areaOf = (file: string) => AREAS.find((area) => file.startsWith(`${area}/`));
    const reachedFrom = (file: string): string[] => {
      const next = imports.filter(({ from, to }) => from === file && areaOf(to) === areaOf(file)).map(({ to }) => to);
      return next.flatMap((to) => (floorOf(to) === -1 ? reachedFrom(to) : [to]));
    };
    const withFloors = files.map(({ name }) => name).filter((it) => areaOf(it) !== undefined && floorOf(it) !== -1);
    expect(withFloors.length).toBeGreaterThan(30);
    const upward = withFloors.flatMap((from) =>
      reachedFrom(from).flatMap((to) => (floorOf(to) > floorOf(from) ? [`${from} leads to ${to}`] : [])),
    );
    expect(upward).toEqual([]);
  });

  it(`the root of src/ has at most ${FILES_AT_ROOT_MAX} files of code`, () => {
    const atRoot = readdirSync(SRC, { withFileTypes: true }).filter((it) => it.isFile() && !it.name.endsWith(".md"));
    expect(atRoot.map(({ name }) => name).length).toBeLessThanOrEqual(FILES_AT_ROOT_MAX);
  });

  it("a process with ROLE=api loads no module of the media engine", () => {
    const loaded = new Set(["start.ts", "server.ts"]);
    for (const file of loaded) {
      const { text = "" } = files.find(({ name }) => name === file) ?? {};
      for (const [, path] of text.matchAll(/^(?:im|ex)port (?!type )[^;]*?from "(\.[^"]+)";/gm))
        loaded.add(posix.normalize(posix.join(posix.dirname(file), path!)));
    }
    expect([...loaded]).toContain("video-uploads/handlers.ts");
    expect([...loaded].filter((file) => /^(video-uploads\/worker|media)\//.test(file))).toEqual([]);
  });

  it("npm run check -- --for loads no test framework, although it asks the tests what they need", () => {
    const loaded = new Set(["scripts/check/missing.ts", "scripts/check/subjects.ts"]);
    for (const file of loaded) {
      const text = readFileSync(new URL(`../${file}`, SRC), "utf8");
      expect([file, /from "@jest/.test(text)]).toEqual([file, false]);
      for (const [, from, called] of text.matchAll(/^(?:im|ex)port (?!type )[^;]*?from "(\.[^"]+)";|import\("(\.[^"]+)"\)/gm))
        loaded.add(posix.normalize(posix.join(posix.dirname(file), from ?? called!)));
    }
    expect([...loaded]).toContain("test/contract/provocations/all.ts");
  });

  it("no imports form a cycle", () => {
    const left = new Map(files.map(({ name }) => [name, imports.filter(({ from }) => from === name).map(({ to }) => to)]));
    // Files that import none of the remaining files can't be part of a cycle.
    const free = () => [...left].filter(([, targets]) => !targets.some((it) => left.has(it))).map(([name]) => name);
    for (let done = free(); done.length > 0; done = free()) for (const name of done) left.delete(name);
    expect([...left.keys()]).toEqual([]);
  });

  it.each(RESOURCES)("%s has handlers, a service, a store and a wire format", (resource) => {
    expect(SHAPE.filter((name) => !existsSync(new URL(`${resource}/${name}`, SRC)))).toEqual([]);
    expect(existsSync(new URL(`${resource}/store.ts`, SRC)) || isStoreOfSql(resource)).toBe(true);
  });

  it("wire formats import only types, and other wire formats", () => {
    const values = /^import (?!type )[^;]* from "\.{1,2}\/(?!(?:[\w-]+\/|\.\.\/)*wire\.ts")[^"]*";/m;
    expect(files.filter(({ name, text }) => name.endsWith("/wire.ts") && values.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it.each(AREAS)("the composition root imports at most two files of %s", (area) => {
    const doors = imports.filter(({ from, to }) => COMPOSITION_ROOT.includes(from) && to.startsWith(`${area}/`));
    expect(new Set(doors.map(({ to }) => to)).size).toBeLessThanOrEqual(2);
  });

  it("stores don't import the contract and open no transaction", () => {
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

  it(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    const functions = files.flatMap(functionsIn);
    expect(functions.length).toBeGreaterThan(1_000);
    expect(functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX)).toEqual([]);
  });
});
