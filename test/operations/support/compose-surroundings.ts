import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { startScratchPostgres } from "../../../scripts/scratch-postgres.ts";
import { ask } from "./ask.ts";
import { interpolate, readHere } from "./compose.ts";
import type { Layout } from "./container-layout.ts";
import { eventually } from "../../support/eventually.ts";
import { run, temporaryDataDir, type Settings } from "../../support/processes.ts";
import { freePorts } from "../../support/tcp-proxy.ts";
import { s3rver } from "../../support/s3-server.ts";

const PASSWORD = "0123456789abcdef0123456789abcdef";

export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>;

/**
 * Starts what surrounds the processes of the service in compose.yaml: PostgreSQL, PgBouncer, an object store and the proxy,
 * with the configuration of the repository. Only addresses and paths differ.
 */
export async function startSurroundings(stack: AsyncDisposableStack, layout: Layout) {
  const folder = stack.use(await temporaryDataDir()).path;
  // The user of the image must be able to read the configuration, and to write the list of users.
  await chmod(folder, 0o777);
  const store = stack.adopt(await s3rver.start(), (it) => it.stop());
  await store.client.send(new CreateBucketCommand({ Bucket: "videos" }));
  const postgres = stack.adopt(await startScratchPostgres(), (it) => it.stop());
  const [first, second, bouncer, proxy, ...metricsPorts] = (await freePorts(9)) as [number, number, number, number];
  const metricsPortOf = new Map<string, string>();
  const addresses = new Map([
    ["api-1:3000", `127.0.0.1:${first}`],
    ["api-2:3000", `127.0.0.1:${second}`],
    ["pgbouncer:6432", `127.0.0.1:${bouncer}`],
    ["postgres:5432", new URL(postgres.url).host],
    ["store:7070", new URL(store.endpoint).host],
  ]);
  /** The address on this machine for an address in compose.yaml, such as `api-1:3000`. */
  const local = (text: string) => [...addresses].reduce((done, [from, to]) => done.replaceAll(from, to), text);
  const { services } = interpolate({
    POSTGRES_PASSWORD: PASSWORD,
    // The S3 server of the tests has fixed credentials.
    S3_ACCESS_KEY_ID: "S3RVER",
    S3_SECRET_ACCESS_KEY: "S3RVER",
    CURSOR_SECRETS: "a secret of this test",
    PUBLIC_URL: `http://127.0.0.1:${proxy}`,
  });

  await prepareDatabase(postgres.url);
  const { hostname, port } = new URL(postgres.url);
  const pooler = join(folder, "pgbouncer.ini");
  const pooled = readHere("scripts/deploy/pgbouncer.ini")
    .replace("host=postgres port=5432", `host=${hostname} port=${port}`)
    .replace("listen_port = 6432", `listen_port = ${bouncer}`)
    .replace("/run/pgbouncer/", `${folder}/`);
  await writeFile(pooler, pooled);
  const [program = "", ...args] = [...services["pgbouncer"]!.entrypoint!, ...services["pgbouncer"]!.command!].map((it) =>
    it.replaceAll("/run/pgbouncer/", `${folder}/`).replaceAll("/etc/pgbouncer/pgbouncer.ini", pooler),
  );
  start(stack, layout.asUser([program, ...args]), { POSTGRES_PASSWORD: PASSWORD });
  const pooledUrl = local(services["migrate"]!.environment!["DATABASE_URL"]!);
  await eventually("PgBouncer", () => ask(pooledUrl, "SELECT 1").catch(() => null));

  const configuration = join(folder, "haproxy.cfg");
  await writeFile(configuration, local(readHere("scripts/deploy/haproxy.cfg")).replace("bind :8080", `bind 127.0.0.1:${proxy}`));
  start(stack, layout.asUser(["haproxy", "-db", "-f", configuration]));

  /** The environment of a service in compose.yaml, with addresses on this machine. */
  const environmentOf = (name: string): Record<string, string> => {
    const entries = Object.entries(services[name]!.environment!).map(([key, value]) => [key, local(value)]);
    const address = addresses.get(`${name}:3000`);
    if (!metricsPortOf.has(name)) metricsPortOf.set(name, String((metricsPorts as number[]).pop()));
    // Each container has its own ports, addresses and folder.
    return {
      ...Object.fromEntries(entries),
      ...(address && { PORT: new URL(`http://${address}`).port }),
      DATA_DIR: layout.path("/data"),
      METRICS_PORT: metricsPortOf.get(name)!,
      METRICS_HOST: "127.0.0.1",
    };
  };
  return { services, url: `http://127.0.0.1:${proxy}`, local, environmentOf };
}

/** Creates what the image of PostgreSQL creates from POSTGRES_USER and POSTGRES_DB, and runs the script as its first start does. */
async function prepareDatabase(serverUrl: string): Promise<void> {
  await ask(
    serverUrl,
    `CREATE ROLE plumbline LOGIN PASSWORD '${PASSWORD}'`,
    "ALTER DATABASE plumbline OWNER TO plumbline",
    "ALTER SCHEMA public OWNER TO plumbline",
  );
  const { host } = new URL(serverUrl);
  await ask(`postgresql://plumbline:${PASSWORD}@${host}/plumbline`, readHere("scripts/deploy/session-settings.sql"));
}

/** Starts a program that is killed at the end of the scope. */
function start(stack: AsyncDisposableStack, [program = "", ...args]: readonly string[], more: Settings = {}): void {
  stack.use(run(more, args, [], program));
}
