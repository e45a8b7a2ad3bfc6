import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { Db } from "../../src/database/client.ts";
import { createClient, type Client } from "./client.ts";
import { reportWait } from "./eventually.ts";
import { createTestDatabase, withDatabase, type GivenDatabase } from "./database.ts";
import type { LoadService } from "../jest/environment.ts";
import { PATIENT } from "./processes.ts";

export type TestService = {
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Empty without METRICS_PORT. */
  readonly metricsUrl: string;
  /** For what no operation shows, such as the number of rows. */
  readonly db: Db;
  /** Creates a user with a real API key. */
  as(options?: { name?: string; scopes?: readonly string[] }): Promise<Client>;
  /** A client without a credential, or with this Authorization header. */
  anonymous(authorization?: string): Client;
  close(): Promise<void>;
  /** The same as `close`, for a service that ends with its test. */
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts the real service, as `npm start` does, on its own database, which `close` drops. By default there are no rate
 * limits and no log.
 */
export async function startTestService(
  settings: Readonly<Record<string, string>> = {},
  existing?: GivenDatabase,
): Promise<TestService> {
  const database: GivenDatabase = existing ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), "plumbline-test-"));
  const environment = {
    NODE_ENV: "test",
    PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    RATE_LIMITS: "off",
    // Most tests have only one user or one address.
    MAX_IN_FLIGHT_PER_USER: "512",
    MAX_IN_FLIGHT_PER_ADDRESS: "512",
    LOG_LEVEL: "silent",
    DATABASE_POOL_SIZE: "10",
    ...PATIENT,
    PATH: process.env["PATH"] ?? "",
    ...replicaSettings(database.url),
    ...settings,
  };
  const { readConfig, startServer, addUser } = await (globalThis as unknown as { loadService: LoadService }).loadService();
  // The clients of a test send nothing more when it closes its service.
  const server = await startServer({ ...readConfig(environment), quietMs: 1 });
  const url = server.url ?? "";
  const close = async () => {
    const startedMs = performance.now();
    await server.close();
    reportWait(`the end of a service, in ${expect.getState().testPath}`, startedMs);
    await database.drop?.();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    url,
    dataDir,
    databaseUrl: database.url,
    metricsUrl: server.metricsUrl ?? "",
    db: server.db,
    async as({ name = `User ${randomUUID().slice(0, 8)}`, scopes = everyScope } = {}) {
      const { userId, apiKey } = await addUser(server.db, name, scopes);
      return createClient(url, { userId, name, authorization: `Bearer ${apiKey}` });
    },
    anonymous: (authorization) =>
      createClient(url, { userId: "", name: "", ...(authorization === undefined ? {} : { authorization }) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a worker for the jobs of a service. */
export const startWorkerOf = (
  { databaseUrl, dataDir }: Pick<TestService, "databaseUrl" | "dataDir">,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestService> => startTestService({ ROLE: "worker", DATA_DIR: dataDir, ...settings }, { url: databaseUrl });

/** If TEST_REPLICA_URL is set, every service has a replica, and every client sends the tokens of earlier responses. */
function replicaSettings(databaseUrl: string): Readonly<Record<string, string>> {
  const server = process.env["TEST_REPLICA_URL"];
  if (server === undefined) return {};
  return { REPLICA_DATABASE_URLS: withDatabase(server, new URL(databaseUrl).pathname.slice(1)) };
}
