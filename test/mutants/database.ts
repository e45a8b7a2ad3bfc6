import type { Mutant } from "./mutant.ts";

const migrations = ["test/operations/migrations.test.ts"];
const embedded = ["test/operations/embedded-postgres.slow.test.ts"];

/** Guards of the migrations and of the embedded PostgreSQL. */
export const database: readonly Mutant[] = [
  {
    what: "Migrations run without a lock",
    from: `await lock(client);`,
    to: ``,
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
    from: `if (checksum !== checksums.get(name))`,
    to: `if (checksum === "")`,
    tests: migrations,
    only: "edited later",
  },
  {
    what: "A failed migration is not recorded",
    from: `await recordStart(client, migration);\n    await fail(client, migration, error);`,
    to: `await fail(client, migration, error);`,
    tests: migrations,
    only: "if it fails|agree on",
  },
  {
    what: "A migration that dies outside a transaction leaves no trace",
    from: `await recordStart(client, migration);\n  await client.query(migration.sql);`,
    to: `await client.query(migration.sql);\n  await recordStart(client, migration);`,
    tests: migrations,
    only: "process that dies",
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
