import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { findPostmaster } from "../../src/embedded-postgres/server.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { openSession } from "../support/database.ts";

// These tests do not need durability, and are faster without it.
const settings = { fsync: "off" };

let dataDir: string;
let started: EmbeddedPostgres[];
let owners: ChildProcess[];

/** One folder for all tests, because PostgreSQL takes seconds to create its files. The first test does it. */
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "plumbline-embedded-"));
  // If root runs the tests, PostgreSQL runs as another user, which must be able to enter the folder.
  chmodSync(dataDir, 0o711);
});

beforeEach(() => {
  started = [];
  owners = [];
});

afterEach(async () => {
  await Promise.all(owners.map(kill));
  for (const postgres of started) await postgres.stop();
  // Stops a server that a killed owner left running.
  if (postmasterPid() !== undefined) await (await startEmbeddedPostgres({ dataDir, settings })).stop();
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  started.push(postgres);
  return postgres;
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  await using client = await openSession(url);
  return (await client.query<Row>(statement)).rows;
}

/** Starts PostgreSQL in another process, which prints the URL. On SIGINT, it queries the database before it stops the server. */
async function startInAnotherProcess(): Promise<{ owner: ChildProcess; url: string; saysNext(): Promise<string> }> {
  const script = `
    import pg from "pg";
    import { startEmbeddedPostgres } from ${JSON.stringify(join(process.cwd(), "src/embedded-postgres/index.ts"))};
    const postgres = await startEmbeddedPostgres(${JSON.stringify({ dataDir, settings })});
    const staying = setInterval(() => {}, 1000);
    process.once("SIGINT", async () => {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.end();
      await postgres.stop();
      clearInterval(staying);
      console.log("stopped in order");
    });
    console.log(postgres.url);`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  owners.push(owner);
  const lines = createInterface({ input: owner.stdout })[Symbol.asyncIterator]();
  const saysNext = async () => String((await lines.next()).value);
  return { owner, url: await saysNext(), saysNext };
}

function postmasterPid(): number | undefined {
  return findPostmaster(join(realpathSync(dataDir), "postgres"))?.pid;
}

async function kill(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const exited = once(owner, "exit");
  owner.kill("SIGKILL");
  await exited;
}

/** What can't start must fail with a sentence for the operator. */
const expectRefusal = (attempt: Promise<unknown>, sentence: string | RegExp) =>
  expect(attempt).rejects.toMatchObject({ name: "StartupError", message: expect.stringMatching(sentence) });

describe("the embedded PostgreSQL", () => {
  it("is created and started once by several simultaneous starts", async () => {
    const [first, ...others] = await Promise.all([startInAnotherProcess(), startInAnotherProcess(), start(), start()]);
    for (const other of others) expect(other.url).toBe(first.url);
    await expect(query(first.url, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
  });

  it("creates a database in UTF-8 and UTC that only local clients with the password can reach", async () => {
    const { url } = await start();
    expect(new URL(url)).toMatchObject({ hostname: "127.0.0.1", pathname: "/plumbline" });
    const [row] = await query(
      url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('timezone') AS timezone,
      current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets`,
    );
    expect(row).toEqual({ encoding: "UTF8", timezone: "UTC", addresses: "127.0.0.1", sockets: "" });
    const { password, username, port } = new URL(url);
    expect(password).toHaveLength(32);
    expect(statSync(join(dataDir, "postgres.password")).mode & 0o777).toBe(0o600);
    await expect(query(`postgresql://${username}:guessed@127.0.0.1:${port}/plumbline`, "SELECT 1")).rejects.toThrow(
      /password authentication failed/,
    );
  });

  it("starts again with its existing data, also after its server and its process were killed", async () => {
    const other = await startInAnotherProcess();
    await query(other.url, "CREATE TABLE stored AS SELECT 1 AS id");
    await kill(other.owner);
    process.kill(postmasterPid()!, "SIGKILL");
    // The signal doesn't wait for the end of the process.
    await eventually("the end of the server", () => postmasterPid() === undefined);
    for (let round = 0; round < 2; round++) {
      const { url, stop } = await start();
      await expect(query(url, "SELECT id FROM stored")).resolves.toEqual([{ id: 1 }]);
      await stop();
      await expect(query(url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
    }
  });

  it("takes over and stops the server of a killed process", async () => {
    const other = await startInAnotherProcess();
    await kill(other.owner);
    const ours = await start();
    expect(ours.url).toBe(other.url);
    await expect(query(ours.url, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
    await ours.stop();
    await expect(query(ours.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("ignores an outdated file with the id of another running process", async () => {
    await (await start()).stop();
    writeFileSync(
      join(dataDir, "postgres/postmaster.pid"),
      `${process.pid}\n${dataDir}/postgres\n0\n1\n\n127.0.0.1\n\nready   \n`,
    );
    const { url } = await start();
    await expect(query(url, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
  });

  it("joins the server of another process, and leaves it running", async () => {
    const other = await startInAnotherProcess();
    const ours = await start();
    expect(ours.url).toBe(other.url);
    await ours.stop();
    await expect(query(other.url, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
  });

  it("waits for a stopping server, and then starts again", async () => {
    const first = await start();
    const [, second] = await Promise.all([first.stop(), start()]);
    await expect(query(second.url, "SELECT 1 AS one")).resolves.toEqual([{ one: 1 }]);
  });

  it("ignores Ctrl-C in the terminal, so that its process can use it until it stops", async () => {
    const { owner, url, saysNext } = await startInAnotherProcess();
    // A terminal sends the signal to the whole process group.
    process.kill(-owner.pid!, "SIGINT");
    expect(await saysNext()).toBe("stopped in order");
    await expect(query(url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  });

  itNeeds("root", "stores its data where its user can reach it if only root can enter the data directory", async () => {
    const [closed, deleted] = ["closed", "deleted"].map((name) => {
      mkdirSync(join(dataDir, name, "data"), { recursive: true, mode: 0o700 });
      return join(dataDir, name, "data");
    });
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const first = await startEmbeddedPostgres({ dataDir: deleted!, settings, log });
    await first.stop();
    const home = (of: string) => readFileSync(join(of, "postgres.location"), "utf8").trim();
    const left = home(deleted!);
    expect(lines).toEqual([
      `The database is stored in ${left}, because PostgreSQL refuses to run as root and no other user can enter ${deleted}.`,
    ]);
    expect(statSync(left).uid).not.toBe(0);
    rmSync(deleted!, { recursive: true });

    const second = await startEmbeddedPostgres({ dataDir: closed!, settings, log });
    await query(second.url, "CREATE TABLE stored AS SELECT 1 AS id");
    await second.stop();
    expect(existsSync(left)).toBe(false);
    const third = await startEmbeddedPostgres({ dataDir: closed!, settings, log });
    await expect(query(third.url, "SELECT id FROM stored")).resolves.toEqual([{ id: 1 }]);
    await third.stop();
    expect(lines).toHaveLength(2);
    rmSync(home(closed!), { recursive: true });
  });

  it("rejects data of another major version with a one-sentence message", async () => {
    await (await start()).stop();
    const file = join(dataDir, "postgres/PG_VERSION");
    const written = readFileSync(file);
    writeFileSync(file, "17\n");
    await expectRefusal(start(), /was written by PostgreSQL 17, and this is PostgreSQL 18; .+\.$/);
    writeFileSync(file, written);
  });

  it("rejects a data directory that it can't write with a one-sentence message", async () => {
    const file = join(dataDir, "file");
    writeFileSync(file, "");
    await expectRefusal(
      startEmbeddedPostgres({ dataDir: join(file, "data") }),
      /^The data directory .+ cannot be written: .+\.$/,
    );
  });

  it("reports the reason of PostgreSQL if a setting prevents the start", async () => {
    await expectRefusal(
      startEmbeddedPostgres({ dataDir, settings: { fsync: "off", shared_buffers: "lots" } }),
      /did not start in .+: invalid value for parameter "shared_buffers": "lots"\.$/,
    );
  });
});
