import type { Mutant } from "./mutant.ts";

const migrations = ["test/operations/migrations.slow.test.ts"];
const embedded = ["test/operations/embedded-postgres.slow.test.ts"];

/** Guards of the migrations and of the embedded PostgreSQL. */
export const database: readonly Mutant[] = [
  {
    what: "Migrations run without a lock",
    from: `lock: () => lock(client).then(locks.start)`,
    to: `lock: () => Promise.resolve(locks.start())`,
    tests: migrations,
    only: "at the same time|wait for each other",
  },
  {
    what: "Migrations take a different lock than Prisma",
    from: `const LOCK_KEY = 72_707_369;`,
    to: `const LOCK_KEY = 72_707_368;`,
    tests: migrations,
    only: "wait for each other",
  },
  {
    what: "The database of another program is migrated",
    from: `if (rows.length > 0 && !rows.some(({ tablename }) => tablename === "_prisma_migrations"))`,
    to: `if (rows.length < 0)`,
    tests: migrations,
    only: "tables of another program",
  },
  {
    what: "An applied migration that was edited is accepted",
    from: `if (finished && checksum !== migration.checksum && !migration.sql.includes(checksum))`,
    to: `if (checksum === "")`,
    tests: migrations,
    only: "edited later",
  },
  {
    what: "A migration that changed nothing keeps the previous version from starting",
    from: `await recordRollback(client, migration, reasonOf(error));`,
    to: `await recordStart(client, migration);`,
    tests: migrations,
    only: "if it fails",
  },
  {
    what: "A process that dies during a migration outside a transaction keeps the previous version from starting",
    from: `await untilLocked(session, what, async () => void (await run()));`,
    to: `await recordStart(client, migration);\n      await run();`,
    tests: migrations,
    only: "dies with its process",
  },
  {
    what: "A deadlock ends the build of an index",
    from: `await untilLocked(session, what, () => buildIndex(session, index, sql));`,
    to: `await buildIndex(session, index, sql);`,
    tests: migrations,
    only: "deadlock",
  },
  {
    what: "A migration waits for a lock as long as it takes",
    from: "SET LOCAL lock_timeout = ${ATTEMPT_MS}",
    to: "SET LOCAL lock_timeout = 0",
    tests: migrations,
    only: "lets reads pass|gives up",
  },
  {
    what: "A process starts on a newer schema of the job queue",
    from: `const isTooNew = version !== null`,
    to: `const isTooNew = version === null`,
    tests: ["test/operations/job-schema.slow.test.ts"],
    only: "later version",
  },
  {
    what: "A scheduled job that fails starves those after it",
    from: `failures.push({ name: job.name, error });`,
    to: `throw error;`,
    tests: ["test/operations/maintenance.test.ts"],
    only: "a run of scheduled",
  },
  {
    what: "Scheduled jobs go on while their process stops",
    from: `  for (const job of jobs) {\n    signal.throwIfAborted();`,
    to: `  for (const job of jobs) {`,
    tests: ["test/operations/maintenance.test.ts"],
    only: "a run of scheduled",
  },
  {
    what: "An invalid index is taken for a good one",
    from: `return rows[0].valid ? "valid" : "invalid";`,
    to: `return "valid";`,
    tests: migrations,
    only: "done again",
  },
  {
    what: "A process id that another process has reused is mistaken for PostgreSQL",
    from: `if (!commandLineOf(pid).includes(clusterDir)) return null;`,
    to: `if (!(pid > 0)) return null;`,
    tests: embedded,
    only: "ignores an outdated file",
  },
  {
    what: "A process that ends stops PostgreSQL while other processes use it",
    from: `if (stopping !== null && isUnlocked(users))`,
    to: `if (stopping !== null)`,
    tests: embedded,
    only: "leaves it running",
  },
  {
    what: "The embedded PostgreSQL requires no password",
    from: `"--auth=scram-sha-256",`,
    to: `"--auth=trust",`,
    tests: embedded,
    only: "with the password",
  },
];
