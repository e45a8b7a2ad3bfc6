import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopes } from "#generated/operations.ts";
import { connect, type Db } from "../../src/database/client.ts";
import { addUser } from "../../src/auth/users.ts";
import { createClient, type Client } from "./client.ts";
import { createTestDatabase, type GivenDatabase } from "./database.ts";
import { PATIENT, run, type Running } from "./processes.ts";

/** Several processes of the service with the same database and data directory. */
export type Deployment = AsyncDisposable & {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Starts a process and waits until it is ready. Kills it at the end of the scope if it still runs. */
  start(role: "all" | "api" | "worker", settings?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<Running>;
  /** The time of the database, to compare with its timestamps. */
  clockMs(): Promise<number>;
  /** Creates a user whose client sends requests to the API process that started last. */
  as(name?: string): Promise<Client>;
  /** A client of the same user for the API process that started last. */
  asAgain(client: Client): Client;
};

type Existing = { readonly dataDir?: string; readonly database?: GivenDatabase };

/** Starts no process yet. If the test passes `dataDir`, the test must also remove it. */
export async function createDeployment({ dataDir: existingDir, database: existingDatabase }: Existing = {}): Promise<Deployment> {
  await using stack = new AsyncDisposableStack();
  const database = stack.adopt<GivenDatabase>(existingDatabase ?? (await createTestDatabase()), async (it) => it.drop?.());
  const dataDir =
    existingDir ??
    stack.adopt(await mkdtemp(join(tmpdir(), "plumbline-test-")), (it) => rm(it, { recursive: true, force: true }));
  const { db } = stack.adopt(
    await connect(database.url, { DATABASE_POOL_SIZE: 4, DATABASE_POOL_TIMEOUT_SECONDS: 30 }, () => undefined),
    (it) => it.close(),
  );
  let url = "";
  const owned = stack.move();
  return {
    db,
    dataDir,
    databaseUrl: database.url,
    async start(role, settings = {}, args = undefined) {
      const started = owned.use(
        run({ ...PATIENT, NODE_ENV: "test", ROLE: role, DATABASE_URL: database.url, DATA_DIR: dataDir, ...settings }, args),
      );
      const ready = await started.ready();
      if (role !== "worker") url = ready.url;
      return started;
    },
    async clockMs() {
      const [row] = await db.$queryRaw<{ ms: number }[]>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`;
      return row!.ms;
    },
    async as(name = `User ${randomUUID().slice(0, 8)}`) {
      const { userId, apiKey } = await addUser(db, name, scopes);
      return createClient(url, { userId, name, authorization: `Bearer ${apiKey}` });
    },
    asAgain: ({ userId, userName, authorization }) =>
      createClient(url, { userId, name: userName, ...(authorization === undefined ? {} : { authorization }) }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
