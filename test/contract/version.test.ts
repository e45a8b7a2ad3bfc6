import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { withOtherVersion } from "../../scripts/generate/version.ts";
import { contract } from "../support/contract.ts";
import { previousRelease, readReleases } from "../support/previous-release.ts";
import { repository } from "../support/running.ts";

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
