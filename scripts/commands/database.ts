import { StartupError } from "../../src/util/startup-error.ts";
import { aText, text, yes } from "./arguments.ts";
import { noun, verb } from "./define.ts";

function nameIn(name: string): string {
  if (/^[a-z][a-z0-9_]{0,60}$/.test(name)) return name;
  throw new StartupError(`${name} is not a name in snake_case, such as add_revisions.`);
}

/** Citus allows 1 to 64,000. */
function shardsIn(count: string): number {
  if (/^[1-9]\d{0,4}$/.test(count) && Number(count) <= 64_000) return Number(count);
  throw new StartupError(`${count} is not a number of shards: 1 to 64000.`);
}

const migrate = verb(
  "migrate",
  "apply pending migrations to DATABASE_URL, or to the embedded database in DATA_DIR",
  {},
  async () => (await import("../operations/migrate.ts")).migrate(),
);
const createMigration = verb(
  "create-migration <name>",
  "write migrations for the changes in prisma/schema.prisma; each new index of a table that exists gets one of its own",
  { args: { name: { ...aText("the name of the migration"), coerce: nameIn } } },
  async ({ name }) => (await import("../operations/migrate.ts")).createMigration(name),
);
const retryMigration = verb(
  "retry-migration <name>",
  "let the next migrate or start try a failed migration again, after you have removed what it left",
  { args: { name: aText("the name of the migration") } },
  async ({ name }) => (await import("../operations/migrate.ts")).retryMigration(name),
);
const distribute = verb(
  "distribute",
  "distribute the tables over the nodes of Citus, also while the service runs: writes to the tables of a step get 503 or wait until it ends. After an interruption, run it again",
  {
    options: {
      yes: { ...yes, describe: "do it: without this option, show the steps, their statements, and the rows of their tables" },
      shards: {
        ...text("how many shards a table has; by default, two for each node. prisma/DISTRIBUTED.md says how to choose"),
        coerce: shardsIn,
      },
    },
  },
  async (argv) => (await import("../operations/distribute.ts")).distributeTables(argv),
);

export const database = noun("database", "the tables: their migrations, and their distribution over the nodes of Citus", [
  ...[migrate, createMigration, retryMigration, distribute],
]);
