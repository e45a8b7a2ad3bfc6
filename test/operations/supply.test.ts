import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";

type Package = {
  /** The package that is installed instead. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly optional?: true;
  readonly hasInstallScript?: true;
};

const root = join(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8")) as Record<string, object>;
const lockedIn = (folder: string) =>
  Object.entries(read(join(folder, "package-lock.json"))["packages"] as Record<string, Package>).filter(([path]) => path !== "");
const locked = lockedIn(".");
const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const namesOf = (packages: readonly (readonly [string, Package])[]) =>
  [...new Set(packages.map(([path]) => nameOf(path)))].sort();

/** Those without a digest, or from a registry of their own. */
const flawed = (packages: readonly (readonly [string, Package])[]) =>
  namesOf(packages.filter(([, it]) => !/^sha512-/.test(it.integrity ?? "") || it.resolved !== undefined));

/** Licences without conditions on the code that uses the package. */
const FREE = /^\(?(MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|Python-2\.0|CC0-1\.0)\b/;
const OTHER_LICENCES: Readonly<Record<string, string>> = {
  "@ffmpeg/core": "optional, and a program of its own: the service only runs it",
  busboy: "MIT, in a form that npm doesn't read",
  streamsearch: "MIT, in a form that npm doesn't read",
};

describe("the packages that the service needs", () => {
  it("run no script when they are installed, unless package.json decides about it by name", () => {
    const scripts = namesOf(locked.filter(([, it]) => it.hasInstallScript === true));
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((it) => !(it in read("package.json")["allowScripts"]!))).toEqual([]);
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^strict-allow-scripts=true$/m);
  });

  it("have a digest in the lockfile, and come from the registry that npm is configured with", () => {
    expect(flawed(locked)).toEqual([]);
  });

  it("come without a hundred megabytes of builds that nothing here loads", () => {
    const builds = ["recheck-jar", "recheck-linux-x64", "@electric-sql/pglite", "elkjs", "react-dom"];
    const found = locked.filter(([path]) => builds.includes(nameOf(path)));
    expect(found).toHaveLength(builds.length);
    expect(found.filter(([, it]) => it.name !== "natural-compare").map(([path]) => path)).toEqual([]);
  });

  it("have licences without conditions on our code, apart from those with a reason", () => {
    const others = locked.filter(([, it]) => it.dev !== true && !FREE.test(it.license ?? ""));
    expect(namesOf(others)).toEqual(Object.keys(OTHER_LICENCES).sort());
  });

  it("are all in the bill of materials (CycloneDX) that npm makes from the lockfile", async () => {
    // With `--omit dev`, npm also leaves out what is needed both to run and to develop.
    const command = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
    const { stdout } = await promisify(execFile)("npm", command, { cwd: root, maxBuffer: 2 ** 26 });
    const { components } = JSON.parse(stdout) as { components: { group?: string; name: string; version: string }[] };
    const listed = new Set(components.map((it) => `${it.name}@${it.version}`));
    const needed = locked.filter(([, it]) => it.dev !== true && it.devOptional !== true && it.optional !== true);
    expect(needed.length).toBeGreaterThan(100);
    expect(needed.filter(([path, it]) => !listed.has(`${nameOf(path)}@${it.version}`)).map(([path]) => path)).toEqual([]);
  });
});

describe.each(
  globSync("{scripts,test}/**/package-lock.json", { cwd: root, exclude: ["**/node_modules/**", "**/build/**"] })
    .map(dirname)
    .sort(),
)("the packages that only %s needs", (folder) => {
  it("run no script when they are installed, have a digest, and come from the registry that npm is configured with", () => {
    const these = lockedIn(folder);
    expect(these.length).toBeGreaterThan(30);
    expect(readFileSync(join(root, folder, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
    expect(flawed(these)).toEqual([]);
  });
});
