import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { prepareHome } from "../../src/embedded-postgres/home.ts";
import { startEmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { findPostmaster } from "../../src/embedded-postgres/server.ts";
import { itNeeds } from "../support/needs.ts";

/** A folder that the user of PostgreSQL can enter. It is removed with its scope. */
function temporaryFolder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "plumbline-embedded-")));
  chmodSync(path, 0o711);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe("the embedded PostgreSQL of root", () => {
  itNeeds("root", "removes the clusters of deleted data directories while other processes remove them too", async () => {
    using folder = temporaryFolder();
    const closed = (name: string) => {
      mkdirSync(join(folder.path, name), { mode: 0o700 });
      return join(folder.path, name);
    };
    const homeOf = (dataDir: string) => prepareHome(dataDir, () => {}).dir;
    const deleted = Array.from({ length: 30 }, (_, index) => closed(`deleted-${index}`));
    const left = deleted.map(homeOf);
    for (const dataDir of deleted) rmSync(dataDir, { recursive: true });

    const dataDirs = ["first", "second", "third"].map(closed);
    const processes = dataDirs.map((dataDir) => {
      const script = `
        import { prepareHome } from ${JSON.stringify(join(process.cwd(), "src/embedded-postgres/home.ts"))};
        console.log("ready");
        process.stdin.once("end", () => prepareHome(${JSON.stringify(dataDir)}, () => {})).resume();`;
      const args = ["--input-type=module", "--eval", script];
      return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    });
    await Promise.all(processes.map((it) => once(it.stdout, "data")));
    const exits = processes.map((it) => once(it, "exit"));
    for (const it of processes) it.stdin.end();
    expect((await Promise.all(exits)).map(([code]) => code as number)).toEqual([0, 0, 0]);
    expect(left.filter((home) => existsSync(home))).toEqual([]);
    for (const home of dataDirs.map(homeOf)) rmSync(home, { recursive: true });
  });

  it("stops for another user, even if that user can't open its log", async () => {
    using folder = temporaryFolder();
    const { stop } = await startEmbeddedPostgres({ dataDir: folder.path, settings: { fsync: "off" } });
    const server = findPostmaster(join(folder.path, "postgres"))!;
    // No user can open a folder as a log, not even root, and root may run this test.
    rmSync(join(folder.path, "postgres.log"));
    mkdirSync(join(folder.path, "postgres.log"));
    try {
      await stop();
      expect(findPostmaster(join(folder.path, "postgres"))).toBeNull();
    } finally {
      if (findPostmaster(join(folder.path, "postgres")) !== null) process.kill(server.pid, "SIGQUIT");
    }
  });
});
