import { describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { openPersistentConnection } from "../support/keep-alive.ts";

const CLIENTS = 8;
const deployment = prepare(createDeployment);

const keepAlive = (url: string, authorization: string) => openPersistentConnection(url, `Authorization: ${authorization}\r\n`);

describe.each([0, 1])("SIGTERM with SHUTDOWN_DELAY_SECONDS=%d", (delaySeconds) => {
  it(`sends Connection: close to ${CLIENTS} clients with open connections, and resets none of them`, async () => {
    const service = await deployment.start("api", { SHUTDOWN_DELAY_SECONDS: String(delaySeconds) });
    const { url } = await service.ready();
    const { authorization } = await deployment.as();
    let answered = 0;
    const clients = Array.from({ length: CLIENTS }, async () => {
      const client = keepAlive(url, authorization!);
      for (;;) {
        const answer = await client.ask("GET /posts?limit=1");
        if (answer === null) return "reset";
        if (answer.status !== 200) return `status ${answer.status}`;
        answered++;
        if (answer.connection === "close") return "Connection: close";
      }
    });
    await eventually("requests under way", () => answered > 20 * CLIENTS);
    service.child.kill("SIGTERM");
    expect(await Promise.all(clients)).toEqual(Array.from({ length: CLIENTS }, () => "Connection: close"));
    expect(await service.exited).toBe(0);
  }, 180_000);
});

it("every response has Connection: close during the shutdown delay, and GET /health returns 503", async () => {
  const service = await deployment.start("all", { SHUTDOWN_DELAY_SECONDS: "8" });
  const { url } = await service.ready();
  const { authorization } = await deployment.as();
  service.child.kill("SIGTERM");
  await eventually("503", async () => (await keepAlive(url, authorization!).ask("GET /health"))?.status === 503, 5_000, 1);
  for (const path of ["/health", "/posts", "/nothing", "/docs", "/health/live", "/u/nothing-here"])
    expect({ path, answer: await keepAlive(url, authorization!).ask(`GET ${path}`) }).toMatchObject({
      path,
      answer: { connection: "close" },
    });
  expect(await service.exited).toBe(0);
}, 180_000);

it("an idle connection closes after the shutdown delay, and gets Connection: close if it is used before", async () => {
  const service = await deployment.start("api", { SHUTDOWN_DELAY_SECONDS: "6" });
  const { url } = await service.ready();
  const { authorization } = await deployment.as();
  const [silent, late] = [keepAlive(url, authorization!), keepAlive(url, authorization!)];
  for (const client of [silent, late])
    expect(await client.ask("GET /account")).toMatchObject({ status: 200, connection: "keep-alive" });
  service.child.kill("SIGTERM");
  await eventually("503", async () => (await keepAlive(url, authorization!).ask("GET /health"))?.status === 503, 5_000, 1);
  expect(await late.ask("GET /account")).toMatchObject({ status: 200, connection: "close" });
  expect(silent.socket.readable).toBe(true);
  expect(await service.exited).toBe(0);
  await eventually("the end of the silent connection", () => !silent.socket.readable);
}, 180_000);
