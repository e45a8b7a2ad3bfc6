import { resolve } from "node:path";
import { pino } from "pino";
import type { Config } from "../../src/config.ts";
import type { Db } from "../../src/database/client.ts";
import { openJobs } from "../../src/worker.ts";
import { openObjectStore } from "../../src/storage/open-store.ts";
import { print } from "../../src/util/command.ts";
import { openDatabase } from "../database.ts";
import { configOfCommand } from "./settings.ts";

/** The dependencies of a command. The functions open optional ones. */
export type CommandParts = {
  readonly config: Config;
  readonly db: Db;
  readonly databaseUrl: string;
  /** The job queue. The command enqueues jobs, and runs none. */
  openJobs(): ReturnType<typeof openJobs>;
  openObjects(): ReturnType<typeof openObjectStore>;
};

/** What a command does, with its arguments. Returns the text to print. */
export type Work = (parts: CommandParts) => Promise<string | void>;

/** The log of a command, which is off, because its output is the result. */
export const SILENT = pino({ level: "silent" });

/** Opens the database, and on demand the other dependencies, until `stack` is disposed. */
export async function openParts(config: Config, stack: AsyncDisposableStack): Promise<CommandParts> {
  const { db, url } = await openDatabase(config, stack);
  return {
    config,
    db,
    databaseUrl: url,
    openJobs: async () => stack.adopt(await openJobs(url, { isWorker: false, log: SILENT }), (it) => it.close()),
    openObjects: () => openObjectStore(config, resolve(config.DATA_DIR)),
  };
}

/** Runs `work` with the database of the settings, and prints what it returns. */
export async function withParts(work: Work): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const result = await work(await openParts(configOfCommand(), stack));
  if (result !== undefined) await print(result);
}
