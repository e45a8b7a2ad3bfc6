import { randomUUID } from "node:crypto";
import { describe, expect } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { laterVersion } from "./support/later-version.ts";
import { itNeeds } from "../support/needs.ts";
import { PLUMBLINE } from "../support/plumbline.ts";
import { publish } from "../support/posts.ts";
import { startReading } from "./support/steady-reads.ts";
import { openSession } from "../support/database.ts";

const MIGRATE = [...PLUMBLINE, "database", "migrate"];
const NEXT = "29990101000000_next";
const READERS = 60;
const READ_MAX_MS = 2_000;
const READS_BEFORE = 2_000;

const settingsOf = ({ databaseUrl, dataDir }: Deployment) => ({ NODE_ENV: "test", DATABASE_URL: databaseUrl, DATA_DIR: dataDir });

/** Another session in a transaction that has run `sql`, until it is ended. */
async function openTransaction({ databaseUrl }: Deployment, sql: string) {
  const session = await openSession(databaseUrl, { application_name: "pg_dump" });
  await session.query(`BEGIN; ${sql}`);
  let isOver = false;
  const end = async () => {
    if (!isOver) await session.end();
    isOver = true;
  };
  return { end, [Symbol.asyncDispose]: end };
}

describe("a rollout", () => {
  itNeeds(
    "linux",
    "whose migration waits for a dump leaves every read under two seconds, reports the blocking session, and ends when the dump ends",
    async () => {
      await using stack = new AsyncDisposableStack();
      const deployment = stack.use(await createDeployment());
      const later = stack.use(laterVersion(NEXT, "ALTER TABLE users ADD COLUMN motto text;"));
      const { url } = await (await deployment.start("api")).ready();
      const clients = await Promise.all(Array.from({ length: READERS }, () => deployment.as()));
      const reading = startReading(
        url,
        clients.map((it) => it.authorization!),
      );
      await eventually("reads without a migration", () => reading.count() > READS_BEFORE, 120_000);
      const [usualMs, waitedBefore] = [reading.slowestMs(), reading.waited()];
      const dump = stack.use(await openTransaction(deployment, "SELECT count(*) FROM users"));
      const migrating = stack.use(later.start(settingsOf(deployment), MIGRATE));
      const attempts = () => migrating.stdout().split("\n").length - 1;
      await eventually(
        "reads that have waited for one of several attempts",
        () => attempts() > 2 && reading.waited() > waitedBefore,
        120_000,
      );
      expect(migrating.stdout()).toMatch(
        new RegExp(`${NEXT} cannot lock its tables yet, because of session \\d+ \\(pg_dump, in`),
      );
      await dump.end();
      expect(await migrating.exited).toBe(0);
      expect(migrating.stdout()).toContain(`Applied ${NEXT}.`);
      const { statuses, slowestMs } = await reading.stop(
        `beside a migration that waits (without it, the slowest took ${Math.round(usualMs)} ms)`,
      );
      expect(Object.keys(statuses)).toEqual(["200"]);
      // On a busy machine, some take long in any case.
      expect(slowestMs).toBeLessThan(READ_MAX_MS + usualMs);
    },
    600_000,
  );

  itNeeds(
    "linux",
    "whose migrating process is killed while it builds an index is completed by the next one",
    async () => {
      await using stack = new AsyncDisposableStack();
      const deployment = stack.use(await createDeployment());
      const later = stack.use(laterVersion(NEXT, "CREATE INDEX CONCURRENTLY posts_title_idx ON posts (title);"));
      const writer = stack.use(await openTransaction(deployment, "LOCK TABLE posts IN ROW EXCLUSIVE MODE"));
      const state = async () => {
        const rows = await deployment.db.$queryRaw<{ valid: boolean }[]>`
          SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('posts_title_idx')`;
        return rows[0]?.valid ?? null;
      };
      const killed = stack.use(later.start(settingsOf(deployment), MIGRATE));
      await eventually("an unfinished index", async () => (await state()) === false);
      killed.child.kill("SIGKILL");
      await killed.exited;
      // The running version can restart during this.
      await deployment.start("api");

      const next = stack.use(later.start(settingsOf(deployment), MIGRATE));
      await writer.end();
      expect({ code: await next.exited, stderr: next.stderr() }).toEqual({ code: 0, stderr: "" });
      expect(next.stdout()).toContain(`Applied ${NEXT}.`);
      expect(await state()).toBe(true);
    },
    600_000,
  );

  itNeeds(
    "linux",
    "that fails lets the previous version restart and serve, can be repeated, and can be taken back after it has succeeded",
    async () => {
      await using stack = new AsyncDisposableStack();
      const deployment = stack.use(await createDeployment());
      const settings = settingsOf(deployment);
      const before = await deployment.start("api");
      const ada = await deployment.as();
      const key = randomUUID();
      const write = (client: Client) => client("POST", "/posts", { title: "One", body: "Once." }, withKey(key));
      const first = await write(ada);
      expect(first.status).toBe(201);

      const broken = stack.use(laterVersion(NEXT, "ALTER TABLE posts ADD COLUMN mood text; SELECT 1 / 0;"));
      const failed = stack.use(broken.start({ ...settings, ROLE: "api" }));
      expect(await failed.exited).toBe(1);
      expect(failed.stderr()).toMatch(
        new RegExp(
          `^The migration ${NEXT} failed: division by zero\\. It has changed nothing, so the previous release can run.*\\n$`,
        ),
      );
      before.child.kill("SIGTERM");
      expect(await before.exited).toBe(0);
      await deployment.start("api");
      expect((await write(deployment.asAgain(ada))).text).toBe(first.text);
      await publish(deployment.asAgain(ada));

      const corrected = stack.use(laterVersion(NEXT, "ALTER TABLE posts ADD COLUMN mood text;"));
      const newer = stack.use(corrected.start({ ...settings, ROLE: "api" }));
      await newer.ready();
      const columns = await deployment.db.$queryRaw`SELECT FROM information_schema.columns WHERE column_name = 'mood'`;
      expect(columns).toHaveLength(1);
      newer.child.kill("SIGTERM");
      expect(await newer.exited).toBe(0);
      await deployment.start("all");
      expect((await write(deployment.asAgain(ada))).text).toBe(first.text);
      await publish(deployment.asAgain(ada));
    },
    600_000,
  );
});
