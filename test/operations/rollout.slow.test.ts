import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { describeNeeds } from "../support/needs.ts";
import { PLUMBLINE, repository, run, type Running } from "../support/processes.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { sized } from "../support/size.ts";
import { expectSteadyReads } from "./support/steady-reads.ts";

const MIGRATE = [...PLUMBLINE, "database", "migrate"];
const [READERS, READS_BEFORE] = sized([20, 500], [60, 2_000]);

const deployment = prepare(createDeployment);
const settings = () => ({ NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir });
/** A process of the previous version. */
const running = prepare(() => deployment.start("api"));

const stop = async (it: Running) => {
  it.child.kill("SIGTERM");
  expect(await it.exited).toBe(0);
};

/** This code with one more migration, in a temporary folder: the next version, of which a process can be started. */
function laterVersion(name: string, sql: string) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-later-"));
  for (const it of ["src", "scripts", "generated", "prisma", "package.json"])
    cpSync(join(repository, it), join(folder, it), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "prisma/migrations", name));
  writeFileSync(join(folder, "prisma/migrations", name, "migration.sql"), sql);
  return {
    /** Starts the service, or another script. */
    start: (settings: Readonly<Record<string, string>>, args?: readonly string[]): Running =>
      run(settings, args, ["env", "--chdir", folder]),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describeNeeds("linux", "a rollout", () => {
  // Each test adds an earlier one than the test before, because a version accepts only unknown migrations that are later than its own.
  it("whose migration waits for a dump leaves every read under two seconds, reports the blocking session, and ends when the dump ends", async () => {
    const next = "29990103000000_next";
    using later = laterVersion(next, "ALTER TABLE users ADD COLUMN motto text;");
    const clients = await Promise.all(Array.from({ length: READERS }, () => deployment.as()));
    const tokens = clients.map((it) => it.authorization!);
    const { url } = await running.ready();
    await expectSteadyReads(url, tokens, READS_BEFORE, async (reading) => {
      const waitedBefore = reading.waited();
      await using dump = await hold(deployment.databaseUrl, "SELECT count(*) FROM users");
      await using migrating = later.start(settings(), MIGRATE);
      const attempts = () => migrating.stdout().split("\n").length - 1;
      const hasWaited = () => attempts() > 2 && reading.waited() > waitedBefore;
      await eventually("reads that have waited for one of several attempts", hasWaited, 120_000);
      expect(migrating.stdout()).toMatch(
        new RegExp(`${next} cannot lock its tables yet, because of session \\d+ \\(test holder, in a transaction since 20`),
      );
      await dump.release();
      expect(await migrating.exited).toBe(0);
      expect(migrating.stdout()).toContain(`Applied ${next}.`);
    });
  });

  it("whose migrating process is killed while it builds an index is completed by the next one", async () => {
    const next = "29990102000000_next";
    using later = laterVersion(next, "CREATE INDEX CONCURRENTLY posts_title_idx ON posts (title);");
    const state = async () => {
      const rows = await deployment.db.$queryRaw<{ valid: boolean }[]>`
        SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('posts_title_idx')`;
      return rows[0]?.valid ?? null;
    };
    await using writer = await hold(deployment.databaseUrl, "LOCK TABLE posts IN ROW EXCLUSIVE MODE");
    await using killed = later.start(settings(), MIGRATE);
    await eventually("an unfinished index", async () => (await state()) === false);
    killed.child.kill("SIGKILL");
    await killed.exited;
    // The running version can restart during this.
    await deployment.start("api");

    await using resumed = later.start(settings(), MIGRATE);
    await writer.release();
    expect({ code: await resumed.exited, stderr: resumed.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(resumed.stdout()).toContain(`Applied ${next}.`);
    expect(await state()).toBe(true);
  });

  it("that fails lets the previous version restart and serve, can be repeated, and can be taken back after it has succeeded", async () => {
    const next = "29990101000000_next";
    const ada = await deployment.as();
    const key = randomUUID();
    const write = (client: Client) => client("POST", "/posts", { title: "One", body: "Once." }, withKey(key));
    const first = await write(ada);
    expect(first.status).toBe(201);
    const serves = async () => {
      await deployment.start("api");
      expect((await write(deployment.asAgain(ada))).text).toBe(first.text);
      await publish(deployment.asAgain(ada));
    };
    const start = async (sql: string, then: (it: Running) => Promise<void>) => {
      using later = laterVersion(next, sql);
      await using started = later.start({ ...settings(), ROLE: "api" });
      await then(started);
    };

    await start("ALTER TABLE posts ADD COLUMN mood text; SELECT 1 / 0;", async (failed) => {
      expect(await failed.exited).toBe(1);
      expect(failed.stderr()).toMatch(
        new RegExp(
          `^The migration ${next} failed: division by zero\\. It has changed nothing, so the previous release can run.*\\n$`,
        ),
      );
    });
    await stop(running);
    await serves();

    await start("ALTER TABLE posts ADD COLUMN mood text;", async (corrected) => {
      await corrected.ready();
      const columns = await deployment.db.$queryRaw`SELECT FROM information_schema.columns WHERE column_name = 'mood'`;
      expect(columns).toHaveLength(1);
      await stop(corrected);
    });
    await serves();
  });
});
