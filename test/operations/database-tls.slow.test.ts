import { expect, it } from "@jest/globals";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { createAuthority } from "../support/certificates.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { linesIn, plumbline, type LogLine, type Running } from "../support/processes.ts";
import { describeNeeds } from "../support/needs.ts";
import { startPrimary, type PostgresNode } from "../support/postgres-nodes.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

/** The server refuses every connection without TLS, also that of its replica. */
const ONLY_TLS = ["hostssl all all all scram-sha-256", "hostssl replication all all scram-sha-256", ""].join("\n");
/** The certificate is valid for the address, and not for this name, which leads to it. */
const OTHER_NAME = "localhost";
const VERIFIED = "sslmode=verify-full&sslrootcert=CA";

const SSL = { ssl: "on", ssl_cert_file: "server.crt", ssl_key_file: "server.key" };
const authority = prepare(async () => createAuthority());
const primary = prepare(() => {
  const { certificate, key } = authority.issue("IP:127.0.0.1");
  return startPrimary(SSL, { "server.crt": certificate, "server.key": key, "pg_hba.conf": ONLY_TLS });
});
const replica = prepare(() => primary.addStandby("replica", { settings: SSL }));
const deployment = prepare(async () => {
  const url = urlOf(primary, "sslmode=no-verify");
  await migrateDatabase(url);
  return createDeployment({ database: { url } });
});

function urlOf(node: PostgresNode, query: string, host?: string): string {
  const url = new URL(node.url);
  if (host !== undefined) url.hostname = host;
  return `${url.href}?${query.replace("CA", authority.file)}`;
}

/** What this process prints must be lines of JSON, without a warning of Node or about TLS. A busy machine can warn of other things. */
function expectQuiet(running: Running): void {
  expect(running.stderr()).toBe("");
  const lines = running.stdout().trim().split("\n");
  const warnings = lines.map((it) => JSON.parse(it) as LogLine).filter((it) => Number(it["level"]) > 30);
  expect(warnings.filter((it) => it.msg === "Node warns" || /tls|ssl|certificate/i.test(JSON.stringify(it)))).toEqual([]);
}

/** Starts a service that uses the primary and its replica with this query. */
async function start(query: string, settings: Readonly<Record<string, string>> = {}) {
  const database = urlOf(primary, query);
  return deployment.start("all", {
    ...{ DATABASE_URL: database, DIRECT_DATABASE_URL: database, REPLICA_DATABASE_URLS: urlOf(replica, query) },
    ...{ LOG_LEVEL: "info", LOG_REQUESTS: "off" },
    ...settings,
  });
}

describeNeeds("openssl", "a database that accepts only TLS", () => {
  it("serves jobs, migrations and commands, without a warning", async () => {
    const settings = { NODE_ENV: "test", DATABASE_URL: urlOf(primary, VERIFIED), DATA_DIR: deployment.dataDir };
    expect(await plumbline(settings, "database", "migrate")).toMatchObject({ exit: 0, stderr: "" });
    expect(await plumbline(settings, "user", "add", "Ada", "--json")).toMatchObject({ exit: 0, stderr: "" });
    const { stdout, stderr } = await plumbline(settings, "doctor", "--json");
    expect(`${stdout}${stderr}`).not.toMatch(/"level":"fault".*"check":"database/);
    await using service = await start(VERIFIED);
    const ada = await deployment.as();
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded" });
    expectQuiet(service);
  });

  it.each([
    ["verify-full with the authority", VERIFIED],
    ["require with the authority, which means verify-full", "sslmode=require&sslrootcert=CA"],
    ["require as libpq has it", "uselibpqcompat=true&sslmode=require"],
  ])("serves requests, health checks and replicas with sslmode %s, without a warning", async (_what, query) => {
    await using service = await start(query, { ROLE: "api" });
    const ada = await deployment.as();
    for (const path of ["/health", "/posts", "/video-uploads"]) expect(await ada("GET", path)).toMatchObject({ status: 200 });
    await eventually("the replica", () => service.stdout().includes("a replica is used"));
    const encrypted = "SELECT bool_and(ssl) AS ssl, count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)";
    for (const node of [primary, replica]) {
      const [found] = await node.ask(`${encrypted} WHERE application_name LIKE 'plumbline%'`);
      expect(found).toMatchObject({ ssl: true });
      expect(found!["count"]).toBeGreaterThan(0);
    }
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
    expectQuiet(service);
  });

  it.each([
    ["an authority that is not known", "sslmode=verify-full", undefined, /cannot be used: (unable to|self-signed)/],
    ["a server with another name", VERIFIED, OTHER_NAME, /cannot be used: Hostname\/IP does not match/],
    ["require, which also verifies the name", "sslmode=require&sslrootcert=CA", OTHER_NAME, /Hostname\/IP does not match/],
    ["a file that does not exist", "sslmode=verify-full&sslrootcert=/nowhere.crt", undefined, /ENOENT.*\/nowhere\.crt/],
    ["no TLS", "", undefined, /cannot be used: no pg_hba\.conf entry .* no encryption/],
  ])("is refused with one sentence at %s", async (_what, query, host, reason) => {
    const refusal = startTestService({}, { url: urlOf(primary, query, host) });
    await expect(refusal).rejects.toMatchObject({ name: "StartupError", message: expect.stringMatching(reason) });
    await expect(refusal).rejects.not.toMatchObject({ message: expect.stringContaining("\n") });
  });

  it("makes requests return 503, not 500, while its certificate is not valid", async () => {
    await using service = await start(VERIFIED, { ROLE: "api", DATABASE_POOL_TIMEOUT_SECONDS: "3" });
    const { url } = await service.ready();
    const { authorization } = await deployment.as();
    const read = async (path: string) => {
      const response = await fetch(url + path, { headers: { Authorization: authorization! } });
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
