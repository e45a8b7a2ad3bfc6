import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { createDeployment } from "../support/deployment.ts";
import { itNeeds } from "../support/needs.ts";
import { freePorts } from "../support/ports.ts";
import type { Running } from "../support/running.ts";
import { startSteadyLoad } from "./support/steady-load.ts";

const ROUNDS = 10;
const REQUESTS = 50_000;
const CLIENTS = 16;

itNeeds(
  "haproxy",
  `${REQUESTS} requests all succeed during ${ROUNDS} rolling restarts of two instances behind a proxy`,
  async () => {
    await using stack = new AsyncDisposableStack();
    const deployment = stack.use(await createDeployment());
    const [front, statistics, ...ports] = await freePorts(4);
    // The delay is ten times as long as the proxy takes to notice the shutdown.
    const settings = { SHUTDOWN_DELAY_SECONDS: "2", DATABASE_POOL_TIMEOUT_SECONDS: "20" };
    const start = (port: number) => deployment.start("api", { PORT: String(port), ...settings });
    const instances: Running[] = [];
    for (const port of ports) instances.push(await start(port));
    const proxy = stack.use(await startProxy(front!, statistics!, ports));
    for (const port of ports) await eventually("both instances behind the proxy", () => proxy.sendsTo(port));

    const load = startSteadyLoad(proxy.url, {
      user: await deployment.as(),
      other: await deployment.as(),
      clients: CLIENTS,
      requests: REQUESTS,
    });
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, port] of ports.entries()) {
        instances[index]!.child.kill("SIGTERM");
        expect(await instances[index]!.exited).toBe(0);
        instances[index] = await start(port);
        // Until then, the proxy has only the other instance.
        await eventually("the instance behind the proxy again", () => proxy.sendsTo(port));
      }
    }
    const { sent, failures, statuses, latestMs } = await load.stop();
    process.stderr.write(
      `rolling restarts: ${failures.length} of ${sent} requests failed, ${2 * ROUNDS} instances restarted; ${JSON.stringify(statuses)}; the slowest took ${Math.round(latestMs)} ms\n`,
    );
    expect(failures.slice(0, 10)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  },
  600_000,
);

type Proxy = AsyncDisposable & {
  readonly url: string;
  /** Whether the proxy considers the instance at this port ready. */
  sendsTo(port: number): Promise<boolean>;
};

/** HAProxy in front of the instances. It checks the health of each one, and does not retry failed requests. */
async function startProxy(port: number, statistics: number, ports: readonly number[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-proxy-"));
  const file = join(folder, "haproxy.cfg");
  await writeFile(
    file,
    `global
  maxconn 256
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout check 5s
  timeout client 60s
  timeout server 60s
frontend statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
frontend front
  bind 127.0.0.1:${port}
  default_backend service
backend service
  option httpchk GET /health
  http-check expect status 200
  default-server check inter 100ms fall 2 rise 1
${ports.map((it) => `  server at-${it} 127.0.0.1:${it}`).join("\n")}
`,
  );
  const proxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  const exited = once(proxy, "exit");
  return {
    url: `http://127.0.0.1:${port}`,
    async sendsTo(instance) {
      const table = await fetch(`http://127.0.0.1:${statistics}/;csv`).then(
        (it) => it.text(),
        () => "",
      );
      return table.split("\n").some((line) => line.startsWith(`service,at-${instance},`) && line.includes(",UP,"));
    },
    async [Symbol.asyncDispose]() {
      proxy.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
