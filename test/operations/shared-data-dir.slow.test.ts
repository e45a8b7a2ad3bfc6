import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { findPostmaster } from "../../src/embedded-postgres/server.ts";
import { eventually } from "../support/eventually.ts";
import { run, temporaryDataDir, type Running } from "../support/processes.ts";

/** A command that uses the database of `dataDir` until SIGTERM, as the user and migration commands do briefly. */
async function command(dataDir: string): Promise<Running> {
  const script = `
    import { startEmbeddedPostgres } from "./src/embedded-postgres/index.ts";
    const postgres = await startEmbeddedPostgres({ dataDir: process.env.DATA_DIR });
    const staying = setInterval(() => {}, 1000);
    process.once("SIGTERM", () => postgres.stop().then(() => clearInterval(staying)));
    console.log("uses " + new URL(postgres.url).port);`;
  const process = run({ DATA_DIR: dataDir }, ["--input-type=module", "--eval", script]);
  await eventually("a command that uses the database", () => /uses \d+/.test(process.stdout()), 60_000);
  return process;
}

/** A data directory whose PostgreSQL stops even if the test fails. */
async function dataDirOfATest(): Promise<{ readonly path: string } & AsyncDisposable> {
  const dataDir = await temporaryDataDir();
  return {
    path: dataDir.path,
    async [Symbol.asyncDispose]() {
      const left = postmaster(dataDir.path);
      if (left !== null) process.kill(left.pid, "SIGQUIT");
      await eventually("the end of PostgreSQL", () => postmaster(dataDir.path) === null);
      await dataDir[Symbol.asyncDispose]();
    },
  };
}

const service = (dataDir: string) => run({ DATA_DIR: dataDir, NODE_ENV: "test", ROLE: "api" });
const healthOf = (url: string) => fetch(`${url}/health`).then((it) => it.status);
const postmaster = (dataDir: string) => findPostmaster(join(realpathSync(dataDir), "postgres"));
const healthy = (url: string) => eventually("a healthy service", async () => (await healthOf(url)) === 200);

const end = async (it: Running) => {
  it.child.kill("SIGTERM");
  expect(await it.exited).toBe(0);
};

describe("a service that shares its data directory with other processes", () => {
  it("keeps working when the command that started PostgreSQL ends, and another one is killed; after a kill and a stop, the port is the same", async () => {
    await using dataDir = await dataDirOfATest();
    await using first = await command(dataDir.path);
    await using guest = service(dataDir.path);
    const { url } = await guest.ready();
    const before = postmaster(dataDir.path);

    await end(first);
    expect(await healthOf(url)).toBe(200);
    await using second = await command(dataDir.path);
    second.child.kill("SIGKILL");
    await second.exited;
    expect(await healthOf(url)).toBe(200);
    expect(postmaster(dataDir.path)).toEqual(before);

    guest.child.kill("SIGKILL");
    await guest.exited;
    await using next = service(dataDir.path);
    await healthy((await next.ready()).url);
    expect(postmaster(dataDir.path)?.port).toBe(before!.port);
    // The last process that uses the server stops it.
    await end(next);
    expect(postmaster(dataDir.path)).toBeNull();
    await using last = await command(dataDir.path);
    expect(last.stdout()).toBe(`uses ${before!.port}\n`);
    await end(last);
  });

  it("restarts PostgreSQL on the same port after it and the process that started it were killed", async () => {
    await using dataDir = await dataDirOfATest();
    await using first = await command(dataDir.path);
    await using guest = service(dataDir.path);
    const { url } = await guest.ready();
    const { pid, port } = postmaster(dataDir.path)!;

    // Kills the process that started the server too, so that only the guest uses it.
    first.child.kill("SIGKILL");
    await first.exited;
    process.kill(pid, "SIGKILL");
    await eventually("the end of PostgreSQL", () => postmaster(dataDir.path)?.pid !== pid);
    await healthy(url);
    expect(postmaster(dataDir.path)?.port).toBe(port);
    await end(guest);
    expect(postmaster(dataDir.path)).toBeNull();
  });
});
