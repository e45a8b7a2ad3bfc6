import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const MAX_IN_FLIGHT = 2;
const busy: Socket[] = [];
const service = prepare(() =>
  startTestService({
    ROLE: "api",
    MAX_IN_FLIGHT: String(MAX_IN_FLIGHT),
    CORS_ORIGINS: "https://app.example",
    // Longer than any of these tests, so that a permit stays taken.
    IDLE_TIMEOUT_SECONDS: "3600",
  }),
);
afterEach(() => {
  for (const socket of busy.splice(0)) socket.destroy();
});

/** Takes one permit of the requests in flight: the service waits for the bytes of this upload, which never arrive. */
async function occupy(): Promise<void> {
  const { authorization } = await service.as();
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  busy.push(socket);
  socket.write(
    `POST /video-uploads HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/octet-stream\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [asked] = (await once(socket, "data")) as [Buffer];
  expect(asked.toString()).toMatch(/^HTTP\/1\.1 100 /);
}

describe("when every permit for requests in flight is taken", () => {
  it("503 has the usual headers, including those for scripts of other origins, and the health operations return 200", async () => {
    const ada = await service.as();
    for (let taken = 0; taken < MAX_IN_FLIGHT; taken++) await occupy();
    const refused = await ada("GET", "/posts", undefined, { headers: { Origin: "https://app.example" } });
    expect(refused.status).toBe(503);
    expect(
      Object.fromEntries(
        ["access-control-allow-origin", "x-content-type-options", "cache-control"].map((name) => [
          name,
          refused.headers.get(name),
        ]),
      ),
    ).toEqual({
      "access-control-allow-origin": "https://app.example",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
    for (const path of ["/health", "/health/live"]) expect(await service.anonymous()("GET", path)).toMatchObject({ status: 200 });
  });

  it("a permit is free again after its client has disconnected", async () => {
    const ada = await service.as();
    for (let round = 0; round < 3; round++) {
      for (let taken = 0; taken < MAX_IN_FLIGHT; taken++) await occupy();
      expect((await ada("GET", "/posts")).status).toBe(503);
      for (const socket of busy.splice(0)) socket.destroy();
      await eventually("a free permit", async () => (await ada("GET", "/posts")).status === 200);
    }
  });

  it("each of 60 concurrent requests gets 200 or 503", async () => {
    const ada = await service.as();
    const answers = await Promise.all(Array.from({ length: 60 }, () => ada("GET", "/posts?limit=1")));
    expect(new Set(answers.map((it) => it.status))).toEqual(new Set([200, 503]));
    expect((await ada("GET", "/posts?limit=1")).status).toBe(200);
  });
});
