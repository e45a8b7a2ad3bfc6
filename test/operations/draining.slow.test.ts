import { expect, it } from "@jest/globals";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { openPersistentConnection } from "../support/keep-alive.ts";
import { prepare } from "../support/prepare.ts";

const CLIENTS = 8;
const deployment = prepare(createDeployment);

/** Starts a service, and clients that send one request after the other until they are told to close. Resolves once they are busy. */
async function startBusy(delaySeconds: number) {
  const service = await deployment.start("all", { SHUTDOWN_DELAY_SECONDS: String(delaySeconds) });
  const { url } = await service.ready();
  const { authorization } = await deployment.as();
  const connect = () => openPersistentConnection(url, `Authorization: ${authorization}\r\n`);
  let answered = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    const client = connect();
    for (;;) {
      const answer = await client.ask("GET /posts?limit=1");
      if (answer === null) return "reset";
      if (answer.status !== 200) return `status ${answer.status}`;
      answered++;
      if (answer.connection === "close") return "Connection: close";
    }
  });
  await eventually("requests under way", () => answered > 20 * CLIENTS);
  return { service, connect, clients };
}
const allClosed = Array.from({ length: CLIENTS }, () => "Connection: close");

it("SIGTERM without a shutdown delay sends Connection: close to clients with open connections, and resets none of them", async () => {
  const { service, clients } = await startBusy(0);
  service.child.kill("SIGTERM");
  expect(await Promise.all(clients)).toEqual(allClosed);
  expect(await service.exited).toBe(0);
}, 180_000);

it("during the shutdown delay, every response has Connection: close, GET /health returns 503, and an idle connection stays open", async () => {
  const { service, connect, clients } = await startBusy(6);
  const [silent, late] = [connect(), connect()];
  for (const client of [silent, late])
    expect(await client.ask("GET /account")).toMatchObject({ status: 200, connection: "keep-alive" });
  service.child.kill("SIGTERM");
  await eventually("503", async () => (await connect().ask("GET /health"))?.status === 503, 5_000, 1);
  expect(await Promise.all(clients)).toEqual(allClosed);
  expect(await late.ask("GET /account")).toMatchObject({ status: 200, connection: "close" });
  for (const path of ["/health", "/posts", "/nothing", "/docs", "/health/live", "/u/nothing-here"])
    expect({ path, answer: await connect().ask(`GET ${path}`) }).toMatchObject({ path, answer: { connection: "close" } });
  expect(silent.socket.readable).toBe(true);
  expect(await service.exited).toBe(0);
  await eventually("the end of the silent connection", () => !silent.socket.readable);
}, 180_000);
