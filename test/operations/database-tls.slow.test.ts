import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createAuthority, type Authority } from "../support/certificates.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { linesIn } from "../support/log-lines.ts";
import { describeNeeds } from "../support/needs.ts";
import { PLUMBLINE } from "../support/plumbline.ts";
import { startPrimary, type PostgresNode } from "../support/postgres-nodes.ts";
import { repository, run, temporaryDataDir, type Running } from "../support/running.ts";
import { smallClip, upload } from "../support/videos.ts";

/** The server refuses every connection without TLS, also that of its replica. */
const ONLY_TLS = ["hostssl all all all scram-sha-256", "hostssl replication all all scram-sha-256", ""].join("\n");
/** The certificate is valid for the address, and not for this name, which leads to it. */
const OTHER_NAME = "localhost";

let authority: Authority;
let stack: AsyncDisposableStack;
let primary: PostgresNode;
let replica: PostgresNode;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  authority = createAuthority();
  const { certificate, key } = authority.issue("IP:127.0.0.1");
  const files = { "server.crt": certificate, "server.key": key, "pg_hba.conf": ONLY_TLS };
  const settings = { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" };
  primary = stack.use(await startPrimary(settings, files));
  replica = stack.use(await primary.addStandby("replica", { settings }));
}, 120_000);
afterAll(() => stack.disposeAsync());

function urlOf(node: PostgresNode, query: string, host?: string): string {
  const url = new URL(node.url);
  if (host !== undefined) url.hostname = host;
  return `${url.href}?${query.replace("CA", authority.file)}`;
}

/** Runs a command, and returns its exit code and what it has printed. */
async function command(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [...PLUMBLINE, ...args], {
    cwd: repository,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

/** What this process prints must be lines of JSON, and without a warning. */
function expectQuiet(running: Running): void {
  expect(running.stderr()).toBe("");
  for (const line of running.stdout().trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ level: 30 });
}

describeNeeds("openssl", "a database that accepts only TLS", () => {
  it.each([
    ["verify-full with the authority", "sslmode=verify-full&sslrootcert=CA"],
    ["require with the authority, which means verify-full", "sslmode=require&sslrootcert=CA"],
    ["no-verify", "sslmode=no-verify"],
    ["require as libpq has it", "uselibpqcompat=true&sslmode=require"],
  ])(
    "serves requests, jobs, migrations, health checks, replicas and commands with sslmode %s, without a warning",
    async (_what, query) => {
      await using dataDir = await temporaryDataDir();
      const settings = {
        NODE_ENV: "test",
        DATABASE_URL: urlOf(primary, query),
        DIRECT_DATABASE_URL: urlOf(primary, query),
        REPLICA_DATABASE_URLS: urlOf(replica, query),
        DATA_DIR: dataDir.path,
      };
      expect(await command(["database", "migrate"], settings)).toMatchObject({ code: 0 });
      const added = await command(["user", "add", "Ada", "--json"], settings);
      const { user_id: userId, api_key: apiKey } = JSON.parse(added.output) as Record<string, string>;
      await using service = run({ ...settings, LOG_LEVEL: "info", LOG_REQUESTS: "off" });
      const { url } = await service.ready();
      const ada = createClient(url, { userId: userId!, name: "Ada", authorization: `Bearer ${apiKey}` });
      expect(await ada("GET", "/health")).toMatchObject({ status: 200 });
      const { id } = await upload(ada, await smallClip());
      await eventually("the video", async () => (await ada("GET", `/video-uploads/${id}`)).body.status === "succeeded", 60_000);
      await eventually("the replica", () => service.stdout().includes("a replica is used"));
      const encrypted = "SELECT bool_and(ssl) AS ssl, count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)";
      for (const node of [primary, replica]) {
        const [found] = await node.ask(`${encrypted} WHERE application_name LIKE 'plumbline%'`);
        expect(found).toMatchObject({ ssl: true });
        expect(found!["count"]).toBeGreaterThan(0);
      }
      expect((await command(["doctor", "--json"], settings)).output).not.toMatch(/"level":"fault".*"check":"database/);
      service.child.kill("SIGTERM");
      expect(await service.exited).toBe(0);
      expectQuiet(service);
    },
    180_000,
  );

  it.each([
    ["an authority that is not known", "sslmode=verify-full", undefined, /cannot be used: (unable to|self-signed)/],
    [
      "a server with another name",
      "sslmode=verify-full&sslrootcert=CA",
      OTHER_NAME,
      /cannot be used: Hostname\/IP does not match/,
    ],
    ["require, which also verifies the name", "sslmode=require&sslrootcert=CA", OTHER_NAME, /Hostname\/IP does not match/],
    ["a file that does not exist", "sslmode=verify-full&sslrootcert=/nowhere.crt", undefined, /ENOENT.*\/nowhere\.crt/],
    ["no TLS", "", undefined, /cannot be used: no pg_hba\.conf entry .* no encryption/],
  ])("is refused with one sentence at %s", async (_what, query, host, reason) => {
    await using dataDir = await temporaryDataDir();
    await using service = run({ DATABASE_URL: urlOf(primary, query, host), DATA_DIR: dataDir.path, LOG_LEVEL: "info" });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toMatch(reason);
    expect(service.stderr().trim().split("\n")).toHaveLength(1);
  });

  it("makes requests return 503, not 500, while its certificate is not valid", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATABASE_URL: urlOf(primary, "sslmode=verify-full&sslrootcert=CA"), DATA_DIR: dataDir.path };
    const added = await command(["user", "add", "Ada", "--json"], settings);
    const { api_key: apiKey } = JSON.parse(added.output) as Record<string, string>;
    await using service = run({ ...settings, ROLE: "api", LOG_LEVEL: "info" });
    const { url } = await service.ready();
    const read = async (path: string) => {
      const response = await fetch(url + path, { headers: { Authorization: `Bearer ${apiKey}` } });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    // The second goes through Prisma, the others through the pool.
    const paths = ["/posts", "/video-uploads", "/health"];
    expect(await Promise.all(paths.map(read))).toEqual(paths.map(() => [200, undefined]));

    const others = createAuthority().issue("IP:127.0.0.1");
    const own = authority.issue("IP:127.0.0.1");
    await primary.replaceFile("server.key", others.key);
    await primary.replaceFile("server.crt", others.certificate);
    const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'plumbline%'";
    await primary.ask(cut);
    await eventually("a health check that fails", async () => (await read("/health"))[0] === 503);
    for (const path of paths) expect([path, await read(path)]).toEqual([path, [503, "unavailable"]]);
    expect(linesIn(service.stdout()).filter((it) => String(it.msg).includes("defect"))).toEqual([]);

    await primary.replaceFile("server.key", own.key);
    await primary.replaceFile("server.crt", own.certificate);
    await eventually("the service", async () => (await read("/posts"))[0] === 200);
  }, 120_000);
});
