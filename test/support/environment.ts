import { TestEnvironment } from "jest-environment-node";

/**
 * Jest gives every test file modules of its own; loading the service took most files longer than their tests. Here it is
 * loaded once in each worker. A file still starts a service of its own, with its own settings and database.
 */
export default class ServiceEnvironment extends TestEnvironment {
  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    super(...args);
    Object.assign(this.global, { loadService });
  }
}

async function loadService() {
  const [{ readConfig }, { startServer }, { addUser }, { Prisma }, { default: pg }] = await Promise.all([
    import("../../src/config.ts"),
    import("../../src/server.ts"),
    import("../../src/users/users.ts"),
    import("#generated/prisma/client.ts"),
    import("pg"),
  ]);
  // A test may hand a part of a statement to this client that was made by the Prisma which its own file has loaded.
  Object.defineProperty(Prisma.Sql, Symbol.hasInstance, { value: isStatement });
  return { readConfig, startServer, addUser, pg };
}

const isStatement = (it: unknown): boolean => typeof it === "object" && it !== null && "strings" in it && "values" in it;

export type LoadService = typeof loadService;
