import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bundleContract } from "../../scripts/contract/bundle.ts";
import { newestRelease } from "../../scripts/contract/released.ts";
import { release } from "../../scripts/contract/release.ts";
import { copyContract, copyRules } from "./support/contract-copy.ts";
import { gitIn } from "./support/git.ts";

const POINT = "- **Everything is new.** Affects you if you begin. Action: begin.";
const LIKES =
  "    likes:\n      type: integer\n      format: int32\n      description: How many readers like it.\n      minimum: 0\n      maximum: 1000\n";

// Each test continues from the one before, as releases do.
describe("releasing the contract", () => {
  let root: string;
  let git: (...options: string[]) => string;
  const path = (name: string) => join(root, "openapi", name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  const replace = (name: string, from: string, to: string) => {
    expect(read(name)).toContain(from);
    writeFileSync(path(name), read(name).replace(from, to));
  };
  const commit = () => {
    git("add", "openapi");
    git("commit", "--quiet", "--message", "Change the contract");
  };
  const head = () => git("rev-parse", "HEAD").trim();
  const refusal = (version: string) =>
    release(root, version).then(
      () => "released",
      (error: Error) => error.message,
    );

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "plumbline-release-"));
    git = gitIn(root);
    copyContract(path("."));
    copyRules(path("."), root);
    // Only the paths of posts and accounts, because each step bundles and lints the contract.
    const ofSome = read("openapi.yaml")
      .replaceAll(/^ {2}\/(?!posts|account).*\n {4}\$ref: .*\n/gm, "")
      .replace(/^webhooks:\n( .*\n)+/m, "");
    writeFileSync(path("openapi.yaml"), ofSome.replace(/^ {2}version: .*$/m, "  version: 1.0.0"));
    // Then the codes of the other paths are in no response.
    replace("redocly.yaml", "plumbline/problem-codes: error", "plumbline/problem-codes: off");
    writeFileSync(path("CHANGELOG.md"), `# Changelog\n\n## 1.0.0\n\nReleased on 2020-02-02.\n\n- **Everything is new.**\n`);
    mkdirSync(path("released"));
    writeFileSync(path("released/commits.txt"), `# The commits.\n1.0.0 ${"0".repeat(40)} 20200101000000_init\n`);
    mkdirSync(join(root, "prisma/migrations/20200101000000_init"), { recursive: true });
    git("init", "--quiet");
    commit();
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("rejects an entry of the changelog without the affected clients and the action", async () => {
    expect(await refusal("1.0.0")).toMatch(/^The entry for 1\.0\.0 .* is not complete:\n\*\*Everything is new\.\*\*$/);
    replace("CHANGELOG.md", "- **Everything is new.**", POINT);
  });

  it("freezes the first version unchanged, and replaces the date and the commit of an earlier attempt", async () => {
    await release(root, "1.0.0");
    expect(newestRelease(path("."))).toEqual(await bundleContract(path(".")));
    expect(read("CHANGELOG.md")).toContain(`## 1.0.0\n\nReleased on ${new Date().toISOString().slice(0, 10)}.\n\n${POINT}`);
    expect(read("released/commits.txt")).toBe(`# The commits.\n1.0.0 ${head()} 20200101000000_init\n`);
    commit();
  });

  it("rejects an invalid version, one that isn't higher, uncommitted changes, and a contract that breaks a lint rule", async () => {
    expect(await refusal("1.1")).toContain("MAJOR.MINOR.PATCH");
    expect(await refusal("1.0.0")).toBe("1.0.0 must be higher than 1.0.0, which is already released.");
    replace("posts/schemas.yaml", "    updated_at:\n", `${LIKES.replace(/ +maximum.*\n/, "")}    updated_at:\n`);
    expect(await refusal("1.1.0")).toBe("Commit the contract first:\n M openapi/posts/schemas.yaml");
    commit();
    expect(await refusal("1.1.0")).toContain("An integer needs maximum");
  });

  it("rejects a version that is too low for the changes", async () => {
    replace(
      "posts/schemas.yaml",
      "      minimum: 0\n    updated_at:\n",
      "      minimum: 0\n      maximum: 1000\n    updated_at:\n",
    );
    replace("shared/parameters.yaml", "default: 20", "default: 50");
    commit();
    const report = await refusal("1.1.0");
    expect(report).toContain("major  parameter `limit`: `default`: 20 → 50\n");
    expect(report).toContain("minor  schema `Post`: field `likes`: is new (integer)\n");
    expect(report).toContain("These changes need a major version, 2.0.0 or higher.");
    expect(newestRelease(path("."))!.info.version).toBe("1.0.0");
  });

  it("accepts it with an exception that gives a reason, and creates an entry in the changelog", async () => {
    writeFileSync(
      path("compat-exceptions.yaml"),
      "- change: 'parameter `limit`: `default`: 20 → 50'\n  impact: minor\n  because: No client uses it yet.\n",
    );
    commit();
    expect(await refusal("1.1.0")).toContain("Complete it");
    expect(read("CHANGELOG.md")).toMatch(
      /^# Changelog\n\n## 1\.1\.0\n\n- [^\n]+\n- [^\n]+\n\n## 1\.0\.0\n\nReleased on \S+\.\n\n- /,
    );
    expect(read("CHANGELOG.md")).toContain("\n- **schema `Post`: field `likes`: is new (integer).** Affects … Action: …\n");
  });

  it("writes the version into the contract and freezes it, the date into the changelog, and uses the exception only once", async () => {
    const complete = read("CHANGELOG.md").replaceAll(
      "Affects … Action: …",
      "Affects you if you show posts.\n  Action: show them.",
    );
    writeFileSync(path("CHANGELOG.md"), complete.replace("## 1.1.0\n", "## 1.1.0\n\nNot released yet.\n"));
    expect(await refusal("1.1.0")).toBe("released");
    expect(read("CHANGELOG.md")).toMatch(/^# Changelog\n\n## 1\.1\.0\n\nReleased on \S+\.\n\n- /);
    expect(read("openapi.yaml")).toContain("\n  version: 1.1.0\n");
    const released = newestRelease(path("."))!;
    expect(released.info.version).toBe("1.1.0");
    expect(released.components["schemas"]!["Post"]!["properties"]).toHaveProperty("likes");
    expect(read("released/commits.txt")).toMatch(new RegExp(`\n1\\.0\\.0 .*\n1\\.1\\.0 ${head()} 20200101000000_init\n$`));
    expect(existsSync(path("compat-exceptions.yaml"))).toBe(false);
  });
});
