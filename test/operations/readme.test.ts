import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { settingsTable } from "../../scripts/settings-table.ts";
import { settings } from "../../src/config.ts";
import { repository, run, temporaryDataDir } from "../support/running.ts";

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

describe("a page for readers", () => {
  const pages = globSync(["*.md", ".github/*.md", "{openapi,prisma,scripts,src,test}/**/*.md"], {
    cwd: repository,
    exclude: ["**/node_modules/**", "test/clients/*/build/**"],
  });

  it.each(pages)("%s links only to files that exist", (name) => {
    const text = readFileSync(join(repository, name), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((it) => it[1]!);
    expect(links.filter((it) => !existsSync(join(repository, dirname(name), it)))).toEqual([]);
  });

  it("scripts/README.md names every command of package.json", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: Record<string, string> };
    const commands = readFileSync(join(repository, "scripts/README.md"), "utf8");
    const isNamed = (name: string) => new RegExp(`\\b${name}(?![\\w:])`).test(commands);
    expect(Object.keys(scripts).filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe("a room of more than ten files", () => {
  const inRepository = { cwd: repository, exclude: ["**/node_modules/**", "test/clients/*/**", "generated/prisma/**"] };
  const files = globSync("{.github,generated,openapi,prisma,scripts,src,test}/**/*.*", inRepository);
  const isRoom = (folder: string) => files.filter((it) => dirname(it) === folder && !it.endsWith("/README.md")).length > 10;
  /** Their READMEs are pages for those who use the commands, or run the service. */
  const PAGES = ["scripts", "scripts/deploy"];
  // `generated/README.md` is about all folders in it: `generated/sql/` gets a file with each area.
  const isWritten = (folder: string) => !folder.startsWith("generated/");
  const rooms = [...new Set(files.map((it) => dirname(it)))].filter((it) => isRoom(it) && isWritten(it) && !PAGES.includes(it));
  /** Whether a name in backticks is the end of the path of a file, or, with a slash at its end, part of one. */
  const exists = (name: string) => {
    const path = name
      .replace(/^(\.\.\/)+/, "")
      .replaceAll(/[.{}]/g, "\\$&")
      .replaceAll("*", "[^/]*");
    return files.some((it) => new RegExp(name.endsWith("/") ? `/${path}` : `/${path}$`).test(`/${it}`));
  };

  it.each(rooms)("%s has a README of at most 20 lines, which names only files that exist", (room) => {
    const text = readFileSync(join(repository, room, "README.md"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
    const names = [...text.matchAll(/`([\w*{}./-]+(?:\/|\.(?:ts|js|sql|ya?ml|json|md)))`/g)].map((it) => it[1]!);
    expect(names.filter((it) => !exists(it))).toEqual([]);
  });
});

describe("README.md", () => {
  it("fits in four screens of fifty lines", () => {
    expect(readme.split("\n").length).toBeLessThan(200);
  });

  it("has example requests that all work when pasted into a shell", async () => {
    const script = /## Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)![1]!;
    expect(script.match(/curl /g)!.length).toBeGreaterThanOrEqual(5);
    // A reader should not have to decipher these tools.
    expect(script).not.toMatch(/\b(sed|awk|jq|cut)\b/);
    await using dataDir = await temporaryDataDir();
    await using service = run({ DATA_DIR: dataDir.path });
    const { url } = await service.ready();
    // Only the port differs here, and each request that fails must end the script.
    const pasted = script.replaceAll("http://127.0.0.1:3000", url).replaceAll("curl -s ", "curl -sS --fail-with-body ");
    const shell = spawn("/bin/bash", ["-e", "-o", "pipefail", "-c", pasted], {
      cwd: repository,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: dataDir.path },
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      shell[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    const [code] = await once(shell, "close");
    expect({ code, ...output }).toMatchObject({ code: 0, stderr: "" });
    for (const sign of [
      "https://www.example.com/slates/order/5531",
      "A plumb line",
      "The slates come on Thursday.",
      '"status":"queued"',
      "unread_count",
    ])
      expect(output.stdout).toContain(sign);
  }, 180_000);
});
