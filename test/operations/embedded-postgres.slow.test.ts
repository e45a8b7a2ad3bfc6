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
import { prepareHome } from "../../src/embedded-postgres/home.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { findPostmaster } from "../../src/embedded-postgres/server.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { repository, run } from "../support/processes.ts";
import { ask } from "./support/ask.ts";

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
  if (postmaster() !== null) await (await startEmbeddedPostgres({ dataDir, settings })).stop();
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  started.push(postgres);
  return postgres;
}

const isOne = async (url: string) => expect(await ask(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
const isGone = (url: string) => expect(ask(url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);

/** Starts a process with this code, which can import from `src/`. */
function startScript(script: string) {
  const args = ["--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { cwd: repository, detached: true, stdio: ["pipe", "pipe", "inherit"] });
  owners.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, exited: once(child, "exit"), saysNext: async () => String((await lines.next()).value) };
}

/** Starts PostgreSQL in another process, which prints the URL. On SIGINT, it queries the database before it stops the server. */
async function startInAnotherProcess() {
  const owner = startScript(`
    import pg from "pg";
    import { startEmbeddedPostgres } from "./src/embedded-postgres/index.ts";
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
    console.log(postgres.url);`);
  return { ...owner, url: await owner.saysNext() };
}

const postmaster = () => findPostmaster(join(realpathSync(dataDir), "postgres"));

async function kill(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  const exited = once(owner, "exit");
  owner.kill("SIGKILL");
  await exited;
}

/** Lets a process end in order, as commands and the service do. */
async function end({ child, exited }: { readonly child: ChildProcess; readonly exited: Promise<unknown> }): Promise<void> {
  child.kill("SIGINT");
  await exited;
  expect(child.exitCode).toBe(0);
}

describe("the embedded PostgreSQL", () => {
  it("is created and started once by several simultaneous starts", async () => {
    const [first, ...others] = await Promise.all([startInAnotherProcess(), startInAnotherProcess(), start(), start()]);
    for (const other of others) expect(other.url).toBe(first.url);
    await isOne(first.url);
  });

  describe("that a service shares with other processes", () => {
    const startService = () => run({ DATA_DIR: dataDir, NODE_ENV: "test", ROLE: "api" });
    const healthOf = (url: string) => fetch(`${url}/health`).then((it) => it.status);
    const healthy = (url: string) => eventually("a healthy service", async () => (await healthOf(url)) === 200);

    it("keeps running when the process that started it ends, and another one is killed; after a kill and a stop, the port is the same", async () => {
      const first = await startInAnotherProcess();
      await using guest = startService();
      const { url } = await guest.ready();
      const before = postmaster();
      await end(first);
      expect(await healthOf(url)).toBe(200);
      await kill((await startInAnotherProcess()).child);
      expect(await healthOf(url)).toBe(200);
      expect(postmaster()).toEqual(before);

      guest.child.kill("SIGKILL");
      await guest.exited;
      await using next = startService();
      await healthy((await next.ready()).url);
      expect(postmaster()?.port).toBe(before!.port);
      // The last process that uses the server stops it.
      await end(next);
      expect(postmaster()).toBeNull();
      expect(new URL((await start()).url).port).toBe(String(before!.port));
    });

    it("is restarted on the same port after it and the process that started it were killed", async () => {
      const first = await startInAnotherProcess();
      await using guest = startService();
      const { url } = await guest.ready();
      const { pid, port } = postmaster()!;
      // Only the guest still uses the server.
      await kill(first.child);
      process.kill(pid, "SIGKILL");
      await eventually("the end of PostgreSQL", () => postmaster()?.pid !== pid);
      await healthy(url);
      expect(postmaster()?.port).toBe(port);
      await end(guest);
      expect(postmaster()).toBeNull();
    });
  });

  it("has a database in UTF-8 and UTC that only local clients with the password can reach", async () => {
    const { url } = await start();
    expect(new URL(url)).toMatchObject({ hostname: "127.0.0.1", pathname: "/plumbline" });
    const [row] = await ask(
      url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('timezone') AS timezone,
      current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets`,
    );
    expect(row).toEqual({ encoding: "UTF8", timezone: "UTC", addresses: "127.0.0.1", sockets: "" });
    const { password, username, port } = new URL(url);
    expect(password).toHaveLength(32);
    expect(statSync(join(dataDir, "postgres.password")).mode & 0o777).toBe(0o600);
    const guessed = ask(`postgresql://${username}:guessed@127.0.0.1:${port}/plumbline`, "SELECT 1");
    await expect(guessed).rejects.toThrow(/password authentication failed/);
  });

  it("starts again with its existing data, also after its server and its process were killed", async () => {
    const other = await startInAnotherProcess();
    await ask(other.url, "CREATE TABLE stored AS SELECT 1 AS id");
    await kill(other.child);
    process.kill(postmaster()!.pid, "SIGKILL");
    // The signal doesn't wait for the end of the process.
    await eventually("the end of the server", () => postmaster() === null);
    for (let round = 0; round < 2; round++) {
      const { url, stop } = await start();
      expect(await ask(url, "SELECT id FROM stored")).toEqual([{ id: 1 }]);
      await stop();
      await isGone(url);
    }
  });

  it("stays for the process that started it when another one stops, and is taken over and stopped by another one when it was killed", async () => {
    const other = await startInAnotherProcess();
    const guest = await start();
    expect(guest.url).toBe(other.url);
    await guest.stop();
    await isOne(other.url);
    await kill(other.child);
    const ours = await start();
    expect(ours.url).toBe(other.url);
    await isOne(ours.url);
    await ours.stop();
    await isGone(ours.url);
  });

  it("ignores an outdated file with the id of another running process", async () => {
    await (await start()).stop();
    const lines = `${process.pid}\n${dataDir}/postgres\n0\n1\n\n127.0.0.1\n\nready   \n`;
    writeFileSync(join(dataDir, "postgres/postmaster.pid"), lines);
    await isOne((await start()).url);
  });

  it("waits for a stopping server, and then starts again", async () => {
    const first = await start();
    const [, second] = await Promise.all([first.stop(), start()]);
    await isOne(second.url);
  });

  it("ignores Ctrl-C in the terminal, so that its process can use it until it stops", async () => {
    const { child, url, saysNext } = await startInAnotherProcess();
    // A terminal sends the signal to the whole process group.
    process.kill(-child.pid!, "SIGINT");
    expect(await saysNext()).toBe("stopped in order");
    await isGone(url);
  });

  it("stops for another user, even if that user can't open its log", async () => {
    const { stop } = await start();
    const log = join(dataDir, "postgres.log");
    // No user can open a folder as a log, not even root, and root may run this test.
    rmSync(log);
    mkdirSync(log);
    await stop().finally(() => rmSync(log, { recursive: true }));
    expect(postmaster()).toBeNull();
  });

  it("reports the reason of PostgreSQL if a setting prevents the start", async () => {
    const attempt = startEmbeddedPostgres({ dataDir, settings: { fsync: "off", shared_buffers: "lots" } });
    const sentence = /did not start in .+: invalid value for parameter "shared_buffers": "lots"\.$/;
    await expect(attempt).rejects.toMatchObject({ name: "StartupError", message: expect.stringMatching(sentence) });
  });
});

describe("the embedded PostgreSQL of root, if only root can enter the data directory,", () => {
  itNeeds("root", "stores its data where its user can reach it", async () => {
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
    await ask(second.url, "CREATE TABLE stored AS SELECT 1 AS id");
    await second.stop();
    expect(existsSync(left)).toBe(false);
    const third = await startEmbeddedPostgres({ dataDir: closed!, settings, log });
    expect(await ask(third.url, "SELECT id FROM stored")).toEqual([{ id: 1 }]);
    await third.stop();
    expect(lines).toHaveLength(2);
    rmSync(home(closed!), { recursive: true });
  });

  itNeeds("root", "removes the clusters of deleted data directories while other processes remove them too", async () => {
    const closed = (name: string) => {
      mkdirSync(join(realpathSync(dataDir), name), { mode: 0o700 });
      return join(realpathSync(dataDir), name);
    };
    const homeOf = (folder: string) => prepareHome(folder, () => {}).dir;
    const deleted = Array.from({ length: 30 }, (_, index) => closed(`deleted-${index}`));
    const left = deleted.map(homeOf);
    for (const folder of deleted) rmSync(folder, { recursive: true });

    const folders = ["first", "second", "third"].map(closed);
    const processes = folders.map((folder) => {
      const script = `
        import { prepareHome } from "./src/embedded-postgres/home.ts";
        console.log("ready");
        process.stdin.once("end", () => prepareHome(${JSON.stringify(folder)}, () => {})).resume();`;
      return startScript(script);
    });
    for (const it of processes) expect(await it.saysNext()).toBe("ready");
    for (const it of processes) it.child.stdin.end();
    expect((await Promise.all(processes.map((it) => it.exited))).map(([code]) => code as number)).toEqual([0, 0, 0]);
    expect(left.filter((home) => existsSync(home))).toEqual([]);
    for (const home of folders.map(homeOf)) rmSync(home, { recursive: true });
  });
});
