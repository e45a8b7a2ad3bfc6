import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { settingsTable } from "../../scripts/settings-table.ts";
import { settings } from "../../src/config.ts";
import { outcomeOf, repository, run, temporaryDataDir } from "../support/processes.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

const page = readFileSync(new URL("../../scripts/deploy/SETTINGS.md", import.meta.url), "utf8");

describe("scripts/deploy/SETTINGS.md", () => {
  it("has the table of settings from src/config.ts, with every setting, default and meaning", () => {
    const [table] = /^\| Setting \| Default \| Meaning \|\n(?:\|.*\n)+/m.exec(page) ?? [];
    expect(table?.trim()).toBe(settingsTable());
    const names = [...settingsTable().matchAll(/^\| `([A-Z_0-9]+)` \|/gm)].map((it) => it[1]);
    expect(names).toEqual(Object.keys(settings.shape));
  });

  it("has a meaning for every setting", () => {
    expect(
      Object.entries(settings.shape)
        .filter(([, schema]) => (schema.description ?? "").length < 10)
        .map(([name]) => name),
    ).toEqual([]);
  });
});

const at = { cwd: repository, exclude: ["**/node_modules/**", "test/clients/*/build/**"] };
const pages = globSync(["*.md", ".github/*.md", "{generated,openapi,prisma,scripts,src,test}/**/*.md"], at);
/** The text of a page without its blocks of code. */
const textOf = (name: string) => readFileSync(join(repository, name), "utf8").replace(/^```[\s\S]*?^```/gm, "");

describe("a page for readers", () => {
  const files = globSync("{*,{.ci,.github,generated,openapi,prisma,scripts,src,test}/**/*}.*", at);
  /** They record what was, and so name files that are gone. */
  const RECORDS = /(CHANGELOG|decisions\/\d{4}[^/]*|LOG|RELEASES)\.md$/;
  /** What is not in the repository: you create it, as the page says, or it belongs to a library. */
  const ELSEWHERE = /^(compose\.override\.yaml|compat-exceptions\.yaml|\.data\/|gone\/|dist\/)$|\/(bookmarks|list-revisions)\b/;

  /** Whether a name in backticks is the end of the path of a file, or, with a slash at its end, part of one. */
  const exists = (name: string) => {
    const path = name
      .replace(/^(\.\.?\/)+/, "")
      .replaceAll(/[.{}]/g, "\\$&")
      .replaceAll("*", "[^/]*");
    return files.some((it) => new RegExp(name.endsWith("/") ? `/${path}` : `/${path}$`).test(`/${it}`));
  };

  it.each(pages)("%s links only to files that exist", (name) => {
    const links = [...textOf(name).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((it) => it[1]!);
    expect(links.filter((it) => !existsSync(join(repository, dirname(name), it)))).toEqual([]);
  });

  it.each(pages.filter((it) => !RECORDS.test(it)))("%s names only files and folders that exist", (name) => {
    const names = [...textOf(name).matchAll(/`([\w*{}.-][\w*{}./-]*(?:\/|\.(?:ts|m?js|sql|ya?ml|json|md)))`/g)].map(
      (it) => it[1]!,
    );
    expect(names.filter((it) => !exists(it) && !ELSEWHERE.test(it))).toEqual([]);
  });
});

describe("src/decisions", () => {
  const folder = join(repository, "src/decisions");
  const index = readFileSync(join(folder, "README.md"), "utf8");
  const records = globSync("[0-9]*.md", { cwd: folder });

  it.each(records)("%s is in the index, and has a number, a date, a status and at most 150 words", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const status = /^# .+\n\nDate: \d{4}-\d\d-\d\d\nStatus: (accepted|superseded by \[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\))\n/;
    expect(text).toMatch(status);
    const title = text.split("\n")[0]!.slice(2);
    expect(index).toContain(`\n- [${name.slice(0, 4)}](${name}) ${title}\n`);
    expect(records.filter((it) => it.startsWith(name.slice(0, 4)))).toEqual([name]);
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(150);
  });
});

describe("README.md", () => {
  it("has example requests that all work when pasted into a shell", async () => {
    const script = /## Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)![1]!;
    expect(script.match(/curl /g)!.length).toBeGreaterThanOrEqual(3);
    // A reader should not have to decipher these tools.
    expect(script).not.toMatch(/\b(sed|awk|jq|cut)\b/);
    await using dataDir = await temporaryDataDir();
    await using service = run({ DATA_DIR: dataDir.path });
    const { url } = await service.ready();
    // Only the port differs here, and each request that fails must end the script.
    const pasted = script.replaceAll("http://127.0.0.1:3000", url).replaceAll("curl -s ", "curl -sS --fail-with-body ");
    const shell = run({ DATA_DIR: dataDir.path }, ["-e", "-o", "pipefail", "-c", pasted], [], "/bin/bash");
    const { stdout, ...rest } = await outcomeOf(shell);
    expect({ ...rest, stdout }).toMatchObject({ exit: 0, stderr: "" });
    for (const sign of ["A plumb line", "next_cursor", '"status":"queued"']) expect(stdout).toContain(sign);
  }, 180_000);
});
