import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { startCollector, type Collector } from "./support/collector.ts";
import { withKey } from "../support/conversations.ts";
import type { Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { requestsIn, type LogLine, type Running } from "../support/processes.ts";
import { s3rver } from "../support/s3-server.ts";
import { finished, smallClip } from "../support/videos.ts";

const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;

const traced = (traceId: string, spanId = "b7ad6b7169203331") => ({ traceparent: `00-${traceId}-${spanId}-01` });
const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** Waits for a span with this name in a trace, and returns all spans of the trace. */
const traceWith = (collector: Collector, traceId: string, name: string) =>
  eventually(`a span ${name}`, () => {
    const spans = collector.spans().filter((it) => it.traceId === traceId);
    return spans.some((it) => it.name === name) ? spans : null;
  });

/** The arguments of a service that prints which modules it has loaded, at its end. */
const LISTING = ["--import", fileURLToPath(new URL("./support/loaded-modules.mjs", import.meta.url)), "src/main.ts"];

const collector = prepare(() => startCollector());
const s3 = prepare(async () => {
  const server = await s3rver.start();
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
});
const deployment = prepare(createDeployment);
const traces = () => ({
  ...collector.settings,
  OBJECT_STORE: `s3://${s3.bucket}/traced`,
  S3_ENDPOINT: s3.endpoint,
  S3_ACCESS_KEY_ID: "S3RVER",
  S3_SECRET_ACCESS_KEY: "S3RVER",
});
let service: Running;
let author: Client;
beforeAll(async () => {
  service = await deployment.start("api", { ...traces(), OTEL_SERVICE_NAME: "plumb-api", LOG_LEVEL: "info" }, LISTING);
  author = await deployment.as();
});

describe("with the environment variables of OpenTelemetry", () => {
  it("a request continues the trace of its caller, with its operation, its queries below it, and no data of the client", async () => {
    const { headers } = withKey();
    const body = { title: "canary-title", body: "canary-body" };
    const answer = await author("POST", "/posts?canary-query=1", body, { headers: { ...headers, ...traced("1".repeat(32)) } });
    expect(answer.status).toBe(400);
    const link = "/playback/01a1ef8f-34ae-7320-b9dd-21e52cd552a0/480p.mp4?token=canary-token";
    expect((await author("GET", link, undefined, { headers: traced("2".repeat(32)) })).status).toBe(403);
    const created = await author("POST", "/posts", body, {
      headers: { ...headers, ...traced(TRACE), baggage: "canary=baggage" },
    });
    expect(created.status).toBe(201);
    const spans = await traceWith(collector, TRACE, "createPost");
    const request = spans.find((it) => it.name === "createPost");
    expect(request).toMatchObject({
      name: "createPost",
      kind: SERVER,
      parentSpanId: "b7ad6b7169203331",
      service: "plumb-api",
      attributes: {
        "http.request.method": "POST",
        "http.route": "/posts",
        "plumbline.operation_id": "createPost",
        "plumbline.request_id": created.headers.get("x-request-id"),
      },
    });
    const queries = spans.filter((it) => it.parentSpanId === request!.spanId);
    expect(queries.map((it) => it.name)).toContainEqual(expect.stringMatching(/^pg\.query:insert_post/));
    for (const { kind } of queries) expect(kind).toBe(CLIENT);
    await eventually("a metric of the request", () =>
      collector
        .requestCounts()
        .find((it) => it["plumbline.operation_id"] === "createPost" && it["http.response.status_code"] === 201),
    );
    await traceWith(collector, "1".repeat(32), "createPost");
    await traceWith(collector, "2".repeat(32), "getPlaybackFile");

    // The log names the trace, also of a request that begins it.
    const listed = await author("GET", "/posts");
    const isOfRequest = (it: LogLine) => it["request_id"] === listed.headers.get("x-request-id");
    const line = await eventually("a line in the log", () => requestsIn(service.stdout()).find(isOfRequest));
    await traceWith(collector, String(line["trace_id"]), "listPosts");
    for (const secret of ["canary", author.authorization!.slice(-20), "Bearer", headers["Idempotency-Key"]])
      expect(collector.text()).not.toContain(secret);
  });

  it("a job and its requests to the object store are in the trace of the request that enqueued it, in another process", async () => {
    const trace = "3".repeat(32);
    const worker = await deployment.start("worker", { ...traces(), OTEL_SERVICE_NAME: "plumb-worker" });
    const accepted = await author("POST", "/video-uploads", await smallClip(), { headers: traced(trace) });
    expect(accepted.status).toBe(202);
    expect(await finished(author, accepted.body)).toMatchObject({ status: "succeeded" });
    // What is left is sent at the end.
    worker.child.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
    // The two processes send their spans independently.
    await traceWith(collector, trace, "createVideoUpload");
    const spans = await traceWith(collector, trace, "process video-uploads");
    const request = spans.find((it) => it.name === "createVideoUpload")!;
    const byId = new Map(spans.map((it) => [it.spanId, it]));
    const job = spans.find((it) => it.name === "process video-uploads")!;
    expect(job).toMatchObject({
      kind: CONSUMER,
      service: "plumb-worker",
      attributes: { "plumbline.attempt": expect.anything() },
    });
    const ancestors = [];
    for (let it = byId.get(job.parentSpanId!); it !== undefined; it = byId.get(it.parentSpanId!)) ancestors.push(it.name);
    expect(ancestors.at(-1)).toBe("createVideoUpload");
    const below = (id: string) => spans.filter((it) => it.parentSpanId === id);
    expect(below(request.spanId).map((it) => it.name)).toContain("PUT");
    expect(below(job.spanId).some((it) => it.name === "GET" && it.service === "plumb-worker")).toBe(true);
    expect(collector.text()).not.toMatch(/AWS4-HMAC|X-Amz-Signature|S3RVER/);
  }, 120_000);

  it("an error of PostgreSQL is in the trace without its message, which can quote a value", async () => {
    const trace = "4".repeat(32);
    await deployment.db.$executeRawUnsafe("ALTER TABLE posts ADD CONSTRAINT refuse CHECK (title::int = 1) NOT VALID");
    const headers = { ...withKey().headers, ...traced(trace) };
    const answer = await author("POST", "/posts", { title: "canary", body: "x" }, { headers });
    expect(answer.status).toBe(500);
    const spans = await traceWith(collector, trace, "createPost");
    expect(spans.find((it) => it.name === "createPost")).toMatchObject({
      status: { code: 2 },
      attributes: { "error.type": "internal_error", "http.response.status_code": 500 },
    });
    expect(spans.find((it) => it.name.startsWith("pg.query:insert_post"))?.status?.code).toBe(2);
    expect(collector.text()).not.toContain("canary");
  });

  it("the modules of OpenTelemetry are loaded", async () => {
    service.child.kill("SIGTERM");
    await service.exited;
    expect(service.stderr()).toMatch(/@opentelemetry\/sdk-node/);
  });

  it("a collector that never responds delays neither requests nor the end of the process, and is logged", async () => {
    await using silent = await startCollector({ answer: "never" });
    const other = await deployment.start("api", { ...silent.settings, OTEL_EXPORTER_OTLP_TIMEOUT: "1000", LOG_LEVEL: "warn" });
    const caller = deployment.asAgain(author);
    const startedMs = performance.now();
    for (let count = 0; count < 50; count++)
      expect((await caller("POST", "/posts", { title: "1", body: "x" }, withKey())).status).toBe(201);
    const tookMs = performance.now() - startedMs;
    await eventually("a line in the log", () => /OpenTelemetry reports a problem/.test(other.stdout()) || null, 30_000);
    other.child.kill("SIGTERM");
    expect(await other.exited).toBe(0);
    // One wait for the collector would take a second.
    expect(tookMs / 50).toBeLessThan(500);
  }, 60_000);
});

it.each<[Record<string, string>]>([[{}], [{ OTEL_SDK_DISABLED: "true", OTEL_SERVICE_NAME: "plumb" }]])(
  "without them, or with OTEL_SDK_DISABLED, no module of OpenTelemetry is loaded: %j",
  async (settings) => {
    const without = await deployment.start("api", settings, LISTING);
    without.child.kill("SIGTERM");
    await without.exited;
    const names = without.stderr();
    expect(names).toContain("node_modules/pg/");
    // The library for Prometheus needs the API, which does nothing without the SDK.
    expect(names).not.toMatch(/@opentelemetry\/(?!api\/)|@prisma\/instrumentation|telemetry\/sdk/);
  },
);
