import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bundleContract } from "../../scripts/contract/bundle.ts";
import { newestRelease } from "../../scripts/contract/released.ts";
import { release } from "../../scripts/contract/release.ts";
import { copyContract, copyRules } from "./mutants/copy.ts";

// Each test continues from the one before, as releases do.
describe("releasing the contract", () => {
  let root: string;
  const path = (name: string) => join(root, "openapi", name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  const replace = (name: string, from: string, to: string) => {
    expect(read(name)).toContain(from);
    writeFileSync(path(name), read(name).replace(from, to));
  };
  const git = (...options: string[]) =>
    execFileSync(
      "git",
      ["-c", "user.name=Test", "-c", "user.email=test@plumbline.example", "-c", "commit.gpgsign=false", ...options],
      { cwd: root, stdio: "pipe" },
    );
  const commit = () => {
    git("add", "openapi");
    git("commit", "--quiet", "--message", "Change the contract");
  };
  const refusal = (version: string) =>
    release(root, version).then(
      () => "released",
      (error: Error) => error.message,
    );

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "plumbline-release-"));
    copyContract(path("."));
    copyRules(path("."), root);
    writeFileSync(path("openapi.yaml"), read("openapi.yaml").replace(/^ {2}version: .*$/m, "  version: 1.0.0"));
    writeFileSync(
      path("CHANGELOG.md"),
      "# Changelog\n\n## 1.0.0\n\n- **Everything is new.** Affects you if you begin. Action: begin.\n",
    );
    mkdirSync(path("released"));
    writeFileSync(path("released/commits.txt"), "# The commits.\n");
    mkdirSync(join(root, "prisma/migrations/20200101000000_init"), { recursive: true });
    git("init", "--quiet");
    commit();
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("freezes the first version unchanged", async () => {
    await release(root, "1.0.0");
    expect(newestRelease(path("."))).toEqual(await bundleContract(path(".")));
    commit();
  });

  const head = () => git("rev-parse", "HEAD").toString().trim();

  it("writes the date of the release into the changelog, and replaces an earlier one", async () => {
    const today = () => `## 1.0.0\n\nReleased on ${new Date().toISOString().slice(0, 10)}.\n\n- **Everything is new.**`;
    expect(read("CHANGELOG.md")).toContain(today());
    replace("CHANGELOG.md", /Released on (\S+)\./.exec(read("CHANGELOG.md"))![0], "Released on 2020-02-02.");
    rmSync(path("released/1.0.0.json"));
    commit();
    await release(root, "1.0.0");
    expect(read("CHANGELOG.md")).toContain(today());
    expect(read("released/commits.txt")).toBe(`# The commits.\n1.0.0 ${head()} 20200101000000_init\n`);
    commit();
  });

  it("rejects an invalid version, and one that isn't higher", async () => {
    expect(await refusal("1.1")).toContain("MAJOR.MINOR.PATCH");
    expect(await refusal("1.0.0")).toBe("1.0.0 must be higher than 1.0.0, which is already released.");
  });

  it("rejects uncommitted changes to the contract", async () => {
    replace(
      "posts/schemas.yaml",
      "    updated_at:\n",
      "    likes:\n      type: integer\n      format: int32\n      description: How many readers like it.\n      minimum: 0\n      maximum: 1000\n    updated_at:\n",
    );
    expect(await refusal("1.1.0")).toBe("Commit the contract first:\n M openapi/posts/schemas.yaml");
    commit();
  });

  it("rejects a version that is too low for the changes", async () => {
    expect(await refusal("1.0.1")).toContain(
      "schema `Post`: field `likes`: is new (integer)\nThese changes need a minor version, 1.1.0 or higher.",
    );
  });

  it("creates an entry in the changelog, and waits until it is complete", async () => {
    expect(await refusal("1.1.0")).toContain("Complete it");
    const point = "- **schema `Post`: field `likes`: is new (integer).** Affects … Action: …";
    expect(read("CHANGELOG.md")).toContain(`\n${point}\n`);
    expect(read("CHANGELOG.md")).toEqual(
      expect.stringMatching(
        /^# Changelog\n\n## 1\.1\.0\n\n- [^\n]+\n\n## 1\.0\.0\n\nReleased on \S+\.\n\n- \*\*Everything is new/,
      ),
    );
    expect(await refusal("1.1.0")).toContain(point.slice(2));
    replace("CHANGELOG.md", "Affects … Action: …", "Affects you if you show posts.\n  Action: show them.");
    replace("CHANGELOG.md", "## 1.1.0\n", "## 1.1.0\n\nNot released yet.\n");
    expect(await refusal("1.1.0")).toBe("released");
  });

  it("writes the version into the contract and freezes it, and the date into the changelog", () => {
    expect(read("CHANGELOG.md")).toMatch(/^# Changelog\n\n## 1\.1\.0\n\nReleased on \S+\.\n\n- /);
    expect(read("openapi.yaml")).toContain("\n  version: 1.1.0\n");
    const released = newestRelease(path("."))!;
    expect(released.info.version).toBe("1.1.0");
    expect(released.components["schemas"]!["Post"]!["properties"]).toHaveProperty("likes");
    expect(read("released/commits.txt")).toMatch(new RegExp(`\n1\\.0\\.0 .*\n1\\.1\\.0 ${head()} 20200101000000_init\n$`));
    commit();
  });

  it("rejects a breaking change in a minor version", async () => {
    replace("shared/parameters.yaml", "default: 20", "default: 50");
    commit();
    expect(await refusal("1.2.0")).toContain("major  parameter `limit`: `default`: 20 → 50");
    expect(newestRelease(path("."))!.info.version).toBe("1.1.0");
  });

  it("accepts it once with an exception that gives a reason", async () => {
    writeFileSync(
      path("compat-exceptions.yaml"),
      "- change: 'parameter `limit`: `default`: 20 → 50'\n  impact: minor\n  because: No client uses it yet.\n",
    );
    commit();
    expect(await refusal("1.2.0")).toContain("Complete it");
    replace("CHANGELOG.md", "Affects … Action: …", "Affects you if you send no limit. Action: send one.");
    expect(await refusal("1.2.0")).toBe("released");
    expect(existsSync(path("compat-exceptions.yaml"))).toBe(false);
    commit();
  });

  it("rejects a contract that breaks a lint rule", async () => {
    replace("posts/schemas.yaml", "      maximum: 1000\n", "");
    commit();
    expect(await refusal("1.3.0")).toContain("An integer needs maximum");
  });
});
