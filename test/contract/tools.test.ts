import { mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { readExceptions } from "../../scripts/contract/exceptions.ts";
import { byImpact, compareVersions, isVersion, mostSevere, nextVersion, type Impact } from "../../scripts/contract/versions.ts";
import { withOtherVersion } from "../../scripts/generate/version.ts";
import { readersEdition } from "../../scripts/generate/docs/readers-edition.ts";
import { readConfig } from "../../src/config.ts";
import { DEFAULT_RATES } from "../../src/settings/values.ts";
import { answersIn } from "../clients/answers.ts";
import { excerpts } from "../clients/excerpts.ts";
import { generators } from "../clients/generators.ts";
import { blockIn, readPage } from "../clients/page.ts";
import { obstacleTo, refusesIn } from "../clients/skip.ts";
import { contract } from "../support/contract.ts";
import { previousRelease, readReleases } from "../support/previous-release.ts";
import { repository } from "../support/processes.ts";
import { sentence } from "../support/sentence.ts";

const OPENAPI = join(import.meta.dirname, "../../openapi");
const RIGHT = { change: "schema `Post`: is removed", impact: "minor", because: "No client uses it yet." };

describe("the exceptions of the compatibility gate", () => {
  let folder: string;
  const reading = (content: unknown) => {
    writeFileSync(join(folder, "compat-exceptions.yaml"), typeof content === "string" ? content : JSON.stringify(content));
    try {
      return readExceptions(folder);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "plumbline-exceptions-"));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("are those of the file, and none without a file or with an empty one", () => {
    for (const impact of ["major", "minor", "patch"]) expect(reading([{ ...RIGHT, impact }])).toEqual([{ ...RIGHT, impact }]);
    expect(readExceptions(join(folder, "elsewhere"))).toEqual([]);
    expect(reading("# Nothing yet.\n")).toEqual([]);
  });

  const impact = (text: string) => `entry 1 needs impact, which must be major, minor or patch, not ${text}.`;
  const REASON = "entry 1 needs because, a reason of at least 10 characters.";
  it.each([
    ["an impact in capitals", [{ ...RIGHT, impact: "Minor" }], impact('"Minor"')],
    ["no reason", [{ ...RIGHT, because: undefined }], REASON],
    ["a reason that is too short", [{ ...RIGHT, because: "ok         " }], REASON],
    ["a misspelt key in the second", [RIGHT, { ...RIGHT, reason: "No client uses it." }], "entry 2 must not have reason."],
    ["an entry that is a string", ["schema `Post`: is removed"], "entry 1 needs change, impact and because."],
    ["no list", { exceptions: [RIGHT] }, "it must be a list."],
  ])("are rejected: %s", (_fault, content, complaint) => {
    expect(reading(content)).toBe(`ContractError: compat-exceptions.yaml: ${complaint}`);
  });

  it("are rejected if they aren't YAML", () => {
    expect(reading("- change: 'open")).toMatch(/^ContractError: compat-exceptions\.yaml cannot be read: /);
  });
});

describe("the exceptions of this version", () => {
  const [, unreleased] = readFileSync(join(OPENAPI, "CHANGELOG.md"), "utf8").split(/^## /m);
  /** What changes in generated clients: the types and constants that have another name, and what has another type. */
  const changedNames = (change: string) => [
    ...[...change.matchAll(/schema `(\w+)`: (?:becomes `(\w+)`|the name)/g)].flatMap(([, from, to]) => [from, to]),
    /the name of the value \S+: (\w+) →/.exec(change)?.[1],
    /(?:field|header) `(\w+)`: `format`/.exec(change)?.[1]?.replace("LocationOfResumable", "Location"),
  ];

  it("that change generated clients are in the changelog, by the names that these clients use", () => {
    const names = new Set(readExceptions(OPENAPI).flatMap(({ change }) => changedNames(change)));
    names.delete(undefined);
    expect([...names].filter((it) => !unreleased!.includes(`\`${it}\``))).toEqual([]);
  });
});

describe("versions and the impacts of changes", () => {
  it("say which version is next, and which is newer", () => {
    expect((["patch", "minor", "major"] as const).map((it) => nextVersion("1.9.3", it))).toEqual(["1.9.4", "1.10.0", "2.0.0"]);
    const sorted = ["1.0.0", "1.0.2", "1.0.10", "1.9.0", "1.10.0", "2.0.0"];
    expect(sorted.toReversed().sort(compareVersions)).toEqual(sorted);
    expect(["1.0", "1.0.0-rc", "01.0.0", "1.0.0\n"].filter(isVersion)).toEqual([]);
  });

  it("have a most severe impact, and any other impact throws", () => {
    expect([mostSevere([]), mostSevere(["patch"]), mostSevere(["minor", "major", "patch"])]).toEqual([null, "patch", "major"]);
    for (const unknown of ["Minor", "none", "constructor", undefined] as unknown as Impact[]) {
      expect(() => mostSevere([unknown])).toThrow("is not an impact");
      expect(() => mostSevere([unknown, "major"])).toThrow("is not an impact");
      expect(() => byImpact("major", unknown)).toThrow("is not an impact");
    }
  });
});

const load = (name: string) => import(join(OPENAPI, "rules", name));
const { plainWordFlaws } = (await load("plain-words.js")) as { plainWordFlaws: (text: string) => readonly string[] };
const { flawOfPattern } = (await load("patterns.js")) as { flawOfPattern: (pattern: string) => string | undefined };

/** The texts next to the contract, which the linter doesn't read. */
const texts = ["", "workflows"].flatMap((folder) =>
  readdirSync(join(OPENAPI, folder), { withFileTypes: true })
    .filter((it) => it.isFile() && /\.md$|\.arazzo\.yaml$/.test(it.name))
    .map((it) => join(folder, it.name)),
);

describe("the words of plain-words.js", () => {
  it("are found, except in code", () => {
    expect(plainWordFlaws("Who leaves shall\ngo on. Run `shall` and `go on`.")).toEqual([
      'Instead of "Who", write a sentence with "you" or "if you".',
      'Instead of "shall", write the present tense, or "must".',
      'Instead of "go on", write "continue" or "resume".',
    ]);
  });

  it.each(texts)("don't occur in openapi/%s", (name) => {
    expect(plainWordFlaws(readFileSync(join(OPENAPI, name), "utf8"))).toEqual([]);
  });
});

describe("plumbline/regex-valid refuses a pattern", () => {
  const ENDS = "it must begin with ^ and end with $";
  const EXPONENTIAL = "it could take exponential time";
  it.each([
    ["that is invalid", String.raw`^[a-z$`, "recheck can't tell"],
    ["without anchors", String.raw`[a-z]+`, ENDS],
    ["whose alternatives have one anchor each", String.raw`^a|b$`, ENDS],
    ["that doesn't end with an anchor", String.raw`^a\$`, ENDS],
    ["by an alternative that can start anywhere", String.raw`^a|b+$`, ENDS],
    ["by a loop in a loop", String.raw`^([a-z]+)+$`, EXPONENTIAL],
    ["by a loop with something optional", String.raw`^([a-z]+-?)*$`, EXPONENTIAL],
    ["by alternatives that overlap", String.raw`^(\w|\d)*$`, EXPONENTIAL],
    ["by a pair of surrogates and its character", String.raw`^(\ud83d\ude00|\u{1f600})*$`, EXPONENTIAL],
    ["in a group that ignores case", String.raw`^(?i:[a-z]*[A-Z]*)*$`, "recheck can't tell"],
    ["by loops side by side", String.raw`^[^\x00]*[^\s\x00][^\x00]*$`, "polynomial time"],
    ["with a lookahead", String.raw`^(?=[a-z])\w+$`, "recheck can't tell"],
  ])("%s: %s", (_what, pattern, flaw) => {
    expect(flawOfPattern(pattern)).toContain(flaw);
  });
});

describe("openapi/CLIENTS.md", () => {
  it.each([...excerpts()])("shows the lines of the journeys: %s", (block, lines) => {
    expect(blockIn(readPage(), block)).toBe(lines);
  });
});

describe("the clients in CI", () => {
  it.each(["go", "cargo"] as const)("skip only their own generator if %s is missing, and all others stay strict", (compiler) => {
    const skipped = generators.flatMap((it) => obstacleTo(it, (programs) => programs.find((name) => name === compiler)) ?? []);
    expect(skipped).toMatchObject([{ isAccepted: true }]);
    expect(skipped[0]!.reason).toContain(`no compiler ${compiler} on PATH`);
    expect(refusesIn(skipped)).toBe(false);
    expect(refusesIn([...skipped, { reason: "not installed", isAccepted: false }])).toBe(true);
  });

  it.each(["java", "npm", "python3"])("fail if %s is missing, although a compiler may be missing, too", (program) => {
    const skipped = generators.flatMap((it) => obstacleTo(it, (programs) => programs.find((name) => name === program)) ?? []);
    expect(skipped.length).toBeGreaterThan(0);
    expect(refusesIn(skipped)).toBe(true);
  });

  it("fail for each 5xx in the log of the service, report its lines, and count the others by status", () => {
    const request = (id: string, status: number | null) => `{"level":30,"status":${status},"request_id":"${id}","msg":"request"}`;
    const cause = '{"level":50,"request_id":"b","err":{"code":"0A000"},"msg":"defect"}';
    const log = [request("a", 201), cause, request("b", 500), '{"level":50,"status":502,"msg":"a job failed"}'];
    expect(answersIn([...log, request("c", null), request("d", 201)])).toEqual({
      counts: "4 requests: 2 x 201, 1 x 500, 1 x none",
      failures: [cause, request("b", 500)],
    });
  });
});

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const { version } = contract.info;

describe("the version of the contract", () => {
  it("is the version of the package, the image and its deployment", () => {
    expect(withOtherVersion()).toEqual([]);
    expect(JSON.parse(read("package.json"))).toMatchObject({ version });
  });

  it.each(["openapi/CHANGELOG.md", "scripts/deploy/RELEASES.md"])("is the newest in %s", (file) => {
    expect(/^## (.+)$/m.exec(read(file))![1]).toBe(version);
  });
});

describe("openapi/released/commits.txt", () => {
  it("names a commit and a migration of each released version", () => {
    const frozen = readdirSync(join(repository, "openapi/released")).filter((it) => it.endsWith(".json"));
    expect(readReleases().map((it) => `${it.version}.json`)).toEqual(frozen.sort());
    for (const { commit, lastMigration } of readReleases())
      expect(`${commit} ${lastMigration}`).toMatch(/^[0-9a-f]{40} \d{14}_\w+$/);
  });

  it("has the release before this version", () => {
    expect(previousRelease().version).not.toBe(version);
  });
});

type Part = { readonly "x-stability"?: string; readonly description: string };

/** Every operation, parameter and response of a document, with its name. */
function partsOf(document: object): [name: string, part: Part][] {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Part & { responses?: Record<string, Part> }>>;
    components: Record<"parameters" | "responses", Record<string, Part>>;
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, it]) => [`${method} ${path}`, it] as const),
  );
  const answers = operations.flatMap(([name, { responses = {} }]) =>
    Object.entries(responses).map(([status, it]): [string, Part] => [`${name} ${status}`, it]),
  );
  const shared = [components.parameters, components.responses].flatMap((it) => Object.entries(it));
  return [...operations.map(([name, it]): [string, Part] => [name, it]), ...answers, ...shared];
}

describe("the experimental part of the contract", () => {
  it("is marked as experimental in the reference, and nothing else is", () => {
    const parts = partsOf(readersEdition(contract));
    const marked = parts.filter(([, it]) => it["x-stability"] === "experimental").map(([name]) => name);
    const said = parts.filter(([, it]) => it.description?.includes("**Experimental")).map(([name]) => name);
    expect(said).toEqual(marked);
    expect(marked).toEqual(
      expect.arrayContaining(["get /video-uploads/{job_id}/transfer", "post /video-uploads 204", "UploadComplete"]),
    );
  });
});

const config = readConfig({});
const GIB = 2 ** 30;

/** A part of a sentence with a number that the operator can change, what the service uses without a setting, and the number. */
const DEFAULTS: readonly (readonly [string, number, number])[] = [
  ["**What other users change can show later**, by default at most 5 seconds.", config.REPLICA_MAX_LAG_SECONDS, 5],
  ["You can have 128 requests running at the same time", config.MAX_IN_FLIGHT_PER_USER, 128],
  ["at the same time, 8 of them uploads.", config.MAX_UPLOADS_PER_USER, 8],
  ["Without a token, 128 requests from one IP address can run at the same time.", config.MAX_IN_FLIGHT_PER_ADDRESS, 128],
  ["or 64 KiB of a video longer than 30 seconds, you get 408.", config.IDLE_TIMEOUT_SECONDS, 30],
  ["If you read nothing for 30 seconds (by default), the service closes the connection.", config.IDLE_TIMEOUT_SECONDS, 30],
  ["at most what the operator allows (2 GiB by default).", config.MAX_UPLOAD_BYTES, 2 * GIB],
  ["You can store 20 GiB by default.", config.MAX_STORED_BYTES_PER_USER, 20 * GIB],
  ["has taken 6 hours within 24 hours (by default)", config.VIDEO_MINUTES_PER_USER, 6 * 60],
  ["After 30 wrong tokens in 60 seconds from one IP address", DEFAULT_RATES.failed_authentication.quota, 30],
  ['`RateLimit-Policy: "default";q=600;w=60` is the policy: 600 requests in 60 seconds.', DEFAULT_RATES.default.quota, 600],
  ["| `writes` | all other changes | user | 120 in 60 s |", DEFAULT_RATES.writes.quota, 120],
  ["| `uploads` | uploading a video | user | 60 in an hour |", DEFAULT_RATES.uploads.quota, 60],
  ["| `searches` | finding users by name, too | user | 500 in 24 hours |", DEFAULT_RATES.searches.quota, 500],
  ["| `follow` | following a short URL | IP address | 1 200 in 60 s |", DEFAULT_RATES.follow.quota, 1_200],
];

describe("a default in the contract is the default of the service", () => {
  it.each(DEFAULTS.map(([text, ...numbers]) => [sentence(text), ...numbers]))("%s", (_sentence, used, named) => {
    expect(used).toBe(named);
  });
});
