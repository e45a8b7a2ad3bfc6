import { TestEnvironment } from "jest-environment-node";
import { judges } from "../support/judges.ts";
import { runHere } from "../support/run-here.ts";

type Limited = { timeout?: number };
/** What this file reads of an event of Jest. */
type Event = { readonly name: string; readonly test?: Limited; readonly hook?: Limited };

/**
 * Jest loads all modules again for every test file, and loading the service and the schemas took longer than most tests. Here each
 * worker loads them once. A test file still starts its own service, with its own settings and database.
 */
export default class ServiceEnvironment extends TestEnvironment {
  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    super(...args);
    Object.assign(this.global, { loadService, judges, runHere });
  }

  /** The limit of a test or hook only ends one that hangs, so none is below the default, which is made for a busy machine. */
  handleTestEvent({ name, test, hook }: Event, { testTimeout }: { readonly testTimeout: number }): void {
    const limited = name === "test_fn_start" ? test : name === "hook_start" ? hook : undefined;
    if (limited?.timeout) limited.timeout = Math.max(limited.timeout, testTimeout);
  }
}

async function loadService() {
  const [{ readConfig }, { startServer }, { addUser }, { Prisma }, { default: pg }] = await Promise.all([
    import("../../src/config.ts"),
    import("../../src/server.ts"),
    import("../../src/auth/users.ts"),
    import("#generated/prisma/client.ts"),
    import("pg"),
  ]);
  // A test file loads its own copy of Prisma, and can pass a statement from it to this client.
  Object.defineProperty(Prisma.Sql, Symbol.hasInstance, { value: isStatement });
  return { readConfig, startServer, addUser, pg };
}

const isStatement = (it: unknown): boolean => typeof it === "object" && it !== null && "strings" in it && "values" in it;

export type LoadService = typeof loadService;
