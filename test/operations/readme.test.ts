import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { settingsTable } from "../../scripts/settings-table.ts";
import { settings } from "../../src/config.ts";
import { repository, run, temporaryDataDir } from "../support/running.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

describe("README.md", () => {
  it("has the table of settings from src/config.ts, with every setting, default and meaning", () => {
    const [table] = /^\| Setting \| Default \| Meaning \|\n(?:\|.*\n)+/m.exec(readme) ?? [];
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
