import { execFileSync } from "node:child_process";
import { expect } from "@jest/globals";
import { interpolate, requiredVariables } from "./support/compose.ts";
import { createDeployment } from "../support/deployment.ts";
import { examine } from "./support/doctor.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { createEndpoint } from "../support/receiver.ts";
import { run } from "../support/processes.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const { services, networks } = interpolate({
  ...Object.fromEntries(requiredVariables().map((name) => [name, "filled-in"])),
  PUBLIC_URL: "https://api.example.com",
});
/** Reached by the default route only, as an address of the internet. */
const OUTSIDE = "10.254.254.254";
/** Prints its port, and then a line for each event. */
const RECEIVER = `
  const server = require("node:http").createServer((req, res) => {
    req.resume().on("end", () => res.writeHead(204).end());
    console.log(req.headers["webhook-id"]);
  });
  server.listen(0, "${OUTSIDE}", () => console.log(server.address().port));`;

const ip = (...words: readonly string[]) => void execFileSync("ip", words, { stdio: ["ignore", "ignore", "inherit"] });

/** A network namespace, as a container has. */
function namespace(stack: AsyncDisposableStack, name: string) {
  const id = `plumbline-${process.pid}-${name}`;
  ip("netns", "add", id);
  stack.defer(() => ip("netns", "delete", id));
  ip("-n", id, "link", "set", "lo", "up");
  return { id, within: ["ip", "netns", "exec", id] };
}

let links = 0;

/** A link between two namespaces, null being that of this process. Returns the address at its first end, and at its second end. */
function link(from: string | null, to: string): readonly [string, string] {
  const subnet = `10.${128 + (process.pid % 100)}.${(process.pid >> 7) % 256}`;
  const ends = [from, to].map((id, end) => {
    const [name, address] = [`plumb${process.pid % 100_000}-${links}${end}`, `${subnet}.${links * 4 + end + 1}`];
    return { id, name, address, within: id === null ? [] : ["-n", id] };
  });
  links++;
  ip("link", "add", ends[0]!.name, "type", "veth", "peer", "name", ends[1]!.name);
  for (const { id, name, address, within } of ends) {
    if (id !== null) ip("link", "set", name, "netns", id);
    ip(...within, "address", "add", `${address}/30`, "dev", name);
    ip(...within, "link", "set", name, "up");
  }
  return [ends[0]!.address, ends[1]!.address];
}

itNeeds(
  ["root", "linux", "ip"],
  "on the networks of compose.yaml, an event of a worker leaves for a receiver outside, and on internal ones alone it doesn't",
  async () => {
    await using stack = new AsyncDisposableStack();
    const deployment = stack.use(await createDeployment());
    const outside = namespace(stack, "outside");
    ip("-n", outside.id, "address", "add", `${OUTSIDE}/32`, "dev", "lo");
    const receiver = stack.use(run({}, ["-e", RECEIVER], outside.within));
    const printed = () => receiver.stdout().split("\n").slice(0, -1);
    const port = await eventually("the receiver", () => printed()[0]);

    await deployment.start("api", { WEBHOOK_PRIVATE_ADDRESSES: "on" });
    const ada = await deployment.as();
    const { path } = await createEndpoint(ada, { url: `http://${OUTSIDE}:${port}/` }, ["message.created"]);

    /**
     * A worker in a namespace with a link for each of these networks. As in Docker, its default route uses those that are not
     * internal.
     */
    const startWorker = async (name: string, joined: readonly string[]) => {
      const container = namespace(stack, name);
      const [here] = link(null, container.id);
      const database = stack.use(await startTcpProxy(deployment.databaseUrl, undefined, here));
      for (const network of joined) {
        if (networks[network]!.internal === true) continue;
        const [, gateway] = link(container.id, outside.id);
        ip("-n", container.id, "route", "add", "default", "via", gateway);
      }
      const settings = {
        ...{ NODE_ENV: "test", ROLE: "worker", DATABASE_URL: database.url, DATA_DIR: deployment.dataDir },
        ...{ WEBHOOK_PRIVATE_ADDRESSES: "on", MEDIA_ENGINE: "wasm" },
      };
      const worker = stack.use(run(settings, undefined, container.within));
      await worker.ready();
      return { worker, doctor: async () => (await examine(settings, container.within)).of("webhook_way_out") };
    };

    const inside = services["worker-1"]!.networks.filter((it) => networks[it]!.internal === true);
    const closed = await startWorker("closed", inside);
    const { body: event } = await ada("POST", `${path}/deliveries`, {});
    const delivery = `${path}/deliveries/${event.id}`;
    await eventually("an attempt that fails", async () => (await ada("GET", delivery)).body.attempt_count > 0);
    expect((await ada("GET", delivery)).body).toMatchObject({ status: "pending", failure: expect.any(String) });
    expect(printed()).toEqual([port]);
    expect(await closed.doctor()).toMatchObject({ level: "warning" });
    closed.worker.child.kill("SIGTERM");
    await closed.worker.exited;

    const open = await startWorker("open", services["worker-1"]!.networks);
    await ada("PATCH", path, { status: "active" });
    await ada("POST", `${delivery}/attempts`, {});
    await eventually("an event that arrives", async () => (await ada("GET", delivery)).body.status === "succeeded", 60_000);
    // Once or twice: the end of the pause and the new attempt each send it.
    expect(new Set(printed().slice(1))).toEqual(new Set([event.id]));
    expect(await open.doctor()).toMatchObject({ level: "good" });
  },
);
