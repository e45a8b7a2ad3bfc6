import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { Registry } from "prom-client";
import { createPermitMetrics } from "../../src/observability/permit-metrics.ts";
import { createRequestMetrics } from "../../src/observability/request-metrics.ts";
import { instrumentStore } from "../../src/observability/instrumented-store.ts";
import { createWorkMetrics } from "../../src/observability/work-metrics.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { Semaphore } from "../../src/util/semaphore.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { startKeyServer } from "../support/key-server.ts";
import { scrape, type Scrape } from "../support/metrics.ts";
import { findOperation } from "../support/contract.ts";
import { missingIds } from "../support/resources.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { startWithHandlers } from "../support/stub-handlers.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { crowding } from "../support/processes.ts";
import { createIssuer } from "../support/tokens.ts";
import { storeResult } from "../support/stored-result.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

const REQUESTS = "plumbline_http_requests_total";

const service = prepare(() => startTestService({ METRICS_PORT: "0", RATE_LIMITS: "failed_authentication=1/60" }));
/** Another one in this process, without a worker. */
const narrow = prepare(() => startTestService({ METRICS_PORT: "0", ROLE: "api", MAX_DOCUMENTS_IN_FLIGHT: "1" }));

/** What `act` adds to the samples with these names and labels. */
async function added(
  act: () => Promise<unknown>,
  wanted: Readonly<Record<string, readonly [name: string, labels?: Readonly<Record<string, string>>]>>,
  url = service.metricsUrl,
): Promise<Record<string, number>> {
  const read = (from: Scrape) =>
    Object.entries(wanted).map(([what, [name, labels]]) => [what, from.sum(name, labels) ?? 0] as const);
  const before = Object.fromEntries(read(await scrape(url)));
  await act();
  return Object.fromEntries(read(await scrape(url)).map(([what, value]) => [what, value - before[what]!]));
}

describe("the metrics count", () => {
  it("each request once, by operation, method and status, with its duration, unknown paths and methods under one label, and replays", async () => {
    const ada = await service.as();
    const act = async () => {
      for (let n = 0; n < 7; n++) await ada("GET", "/posts");
      for (let n = 0; n < 2; n++) await ada("HEAD", "/posts");
      await ada("GET", "/posts?limit=0");
      for (let n = 0; n < 4; n++)
        await ada("POST", "/posts", { title: "A", body: "B" }, { headers: { "Idempotency-Key": "the-same-key-each-time" } });
      for (let n = 0; n < 20; n++) await fetch(`${service.url}/nowhere/${randomUUID()}`);
      for (let n = 0; n < 5; n++) await fetch(`${service.url}/posts`, { method: "PROPFIND" });
    };
    const [posts, none] = [{ operation: "listPosts" }, { operation: "none" }];
    expect(
      await added(act, {
        read: [REQUESTS, { ...posts, method: "GET", status: "200" }],
        heads: [REQUESTS, { ...posts, method: "HEAD", status: "200" }],
        refused: [REQUESTS, { ...posts, method: "GET", status: "400" }],
        created: [REQUESTS, { operation: "createPost", method: "POST", status: "201" }],
        replays: ["plumbline_idempotency_replays_total"],
        paths: [REQUESTS, { ...none, method: "GET", status: "404" }],
        methods: [REQUESTS, { ...none, method: "other", status: "405" }],
        all: [REQUESTS],
        timed: ["plumbline_http_request_duration_seconds_count", { ...posts, method: "GET", status_class: "2xx" }],
        below: ["plumbline_http_request_duration_seconds_bucket", { ...posts, method: "GET", status_class: "2xx", le: "+Inf" }],
      }),
    ).toEqual({ read: 7, heads: 2, refused: 1, created: 4, replays: 3, paths: 20, methods: 5, all: 39, timed: 7, below: 7 });
    expect((await scrape(service.metricsUrl)).text).not.toMatch(/nowhere|PROPFIND/);
  });

  it("refusals by a rate limit and by a limit on requests in flight, by its name", async () => {
    const guess = () => fetch(`${service.url}/posts`, { headers: { Authorization: "Bearer wrong" } });
    const guesses = { refusals: ["plumbline_rate_limit_refusals_total", { policy: "failed_authentication" }] } as const;
    expect(await added(() => Promise.all([guess(), guess(), guess()]), guesses)).toEqual({ refusals: 2 });

    const shed = async () => (await scrape(narrow.metricsUrl)).sum("plumbline_http_requests_shed_total", { limit: "documents" });
    expect(await shed()).toBe(0);
    await eventually("a refused document", async () => {
      await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${narrow.url}/docs`)).arrayBuffer()));
      return (await shed())! > 0;
    });
    expect((await scrape(narrow.metricsUrl)).sum("plumbline_http_requests_shed_total", { limit: "all" })).toBe(0);
  });

  it("permits of every semaphore that are held", async () => {
    const ada = await service.as();
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    const held = (semaphore: string) => ["plumbline_permits", { semaphore, state: "held" }] as const;
    const names = ["all", "user", "uploads", "uploads_of_user", "downloads", "documents"];
    const wanted = Object.fromEntries(names.map((name) => [name, held(name)]));
    const act = async () => {
      socket.write(
        `POST /video-uploads HTTP/1.1\r\nHost: x\r\nAuthorization: ${ada.authorization}\r\n` +
          "Content-Type: application/octet-stream\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
      );
      await once(socket, "data");
    };
    expect(await added(act, wanted)).toEqual({ all: 1, user: 1, uploads: 1, uploads_of_user: 1, downloads: 0, documents: 0 });
    socket.destroy();
    await eventually("no permit held", async () => (await scrape(service.metricsUrl)).sum(...held("uploads")) === 0);
    const { sum } = await scrape(service.metricsUrl);
    for (const semaphore of [...names, "address", "unknown_callers", "waits", "reads_after_wait"])
      for (const state of ["held", "waiting"])
        expect([semaphore, state, sum("plumbline_permits", { semaphore, state })]).toEqual([semaphore, state, 0]);
  });

  it("permits for which callers wait", async () => {
    const registry = new Registry();
    const watchSemaphore = createPermitMetrics(registry);
    const semaphore = new Semaphore({ max: 1 });
    watchSemaphore("one", semaphore);
    using _permit = semaphore.tryAcquire("a")!;
    for (const key of ["a", "b"]) void semaphore.acquire(key, new AbortController().signal);
    const text = await registry.getSingleMetricAsString("plumbline_permits");
    expect(text).toContain('plumbline_permits{semaphore="one",state="held"} 1');
    expect(text).toContain('plumbline_permits{semaphore="one",state="waiting"} 2');
  });

  it("uploaded and downloaded bytes, attempts at videos, and jobs", async () => {
    const ada = await service.as();
    const clip = await smallClip();
    const rendition = Buffer.alloc(300_000);
    const id = await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), rendition);
    const attempts = { outcome: "succeeded" };
    const ended = async () => (await scrape(service.metricsUrl)).sum("plumbline_video_attempts_total", attempts) ?? 0;
    const before = await ended();
    const act = async () => {
      const job = await upload(ada, clip);
      await ada("GET", `/video-uploads/${id}/renditions/480p`);
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded" });
      // The worker counts after it has said that the video succeeded.
      await eventually("the count of the attempt", async () => (await ended()) > before);
    };
    expect(
      await added(act, {
        uploaded: ["plumbline_upload_bytes_total"],
        downloaded: ["plumbline_download_bytes_total"],
        attempts: ["plumbline_video_attempts_total", attempts],
        timed: ["plumbline_video_attempt_duration_seconds_count", attempts],
      }),
    ).toEqual({ uploaded: clip.length, downloaded: rendition.length, attempts: 1, timed: 1 });
    const jobs = await scrape(service.metricsUrl);
    expect(jobs.sum("plumbline_jobs", { queue: "video-uploads", state: "waiting" })).toBe(0);
    expect(jobs.sum("plumbline_jobs_oldest_waiting_seconds", { queue: "video-uploads" })).toBe(0);
  }, 60_000);

  it("responses that don't match the contract", async () => {
    const registry = new Registry();
    const onRequestEnd = createRequestMetrics(registry, () => 0);
    const stubbed = await startWithHandlers(async () => ({ status: 200, body: { secret: 1 } }), { onRequestEnd });
    await ask(stubbed.caller, exampleRequest(findOperation("GET", "/account")!, missingIds(findOperation("GET", "/account")!)));
    await stubbed.close();
    expect(await registry.getSingleMetricAsString("plumbline_response_validation_failures_total")).toMatch(/_total 1$/);
  });

  it("uploads that the disk has no space for, and show the disk", async () => {
    await using full = await startTestService({ METRICS_PORT: "0", ROLE: "api", MIN_FREE_BYTES: String(2 ** 50) });
    const ada = await full.as();
    const act = async () => expect(await ada("POST", "/video-uploads", await smallClip())).toMatchObject({ status: 503 });
    const failures = "plumbline_storage_failures_total";
    expect(
      await added(act, { full: [failures, { kind: "store_full" }], away: [failures, { kind: "unavailable" }] }, full.metricsUrl),
    ).toEqual({ full: 1, away: 0 });
    const { sum } = await scrape(full.metricsUrl);
    const [free, size] = [sum("plumbline_disk_free_bytes")!, sum("plumbline_disk_size_bytes")!];
    expect(free).toBeGreaterThan(2 ** 20);
    expect(size).toBeGreaterThan(free);
    expect(sum("plumbline_disk_min_free_bytes")).toBe(2 ** 50);
  });

  it("every use of an object store that doesn't respond, also in the middle of a download or a list", async () => {
    const failures: string[] = [];
    const away = new StorageFailure("unavailable", "away");
    const fail = () => Promise.reject(away);
    async function* broken() {
      yield { key: "a", sizeBytes: 1, modifiedAt: new Date() };
      throw away;
    }
    const read = { get: async () => ({ sizeBytes: 1, stream: Readable.from(broken()) }), list: () => broken() };
    const store = { put: fail, extend: fail, delete: fail, ...read } as Partial<ObjectStore> as ObjectStore;
    const watched = instrumentStore(store, {
      ...createWorkMetrics(new Registry()),
      onStorageFailure: (kind) => failures.push(kind),
    });
    const { stream } = (await watched.get("a"))!;
    await expect(stream.toArray()).rejects.toBe(away);
    await expect(Array.fromAsync(watched.list(""))).rejects.toBe(away);
    await expect(watched.put("a", Readable.from([]), { maxBytes: 1 })).rejects.toBe(away);
    await expect(watched.extend("a", 0, Readable.from([]), { maxBytes: 1 })).rejects.toBe(away);
    await expect(watched.delete("a")).rejects.toBe(away);
    expect(failures).toEqual(Array(5).fill("unavailable"));
  });

  it("fetches of the key set that fail, once for all the tokens that wait for them", async () => {
    await using keys = await startKeyServer({ status: 500, body: "" });
    await using issuer = await createIssuer();
    const settings = { METRICS_PORT: "0", ROLE: "api", ...issuer.settings, AUTH_JWKS: keys.url };
    await using alone = await startTestService(settings);
    const account = alone.anonymous(`Bearer ${await issuer.sign()}`);
    const act = async () => {
      for (let n = 0; n < 3; n++) expect(await account("GET", "/account")).toMatchObject({ status: 503 });
    };
    expect(await added(act, { failed: ["plumbline_key_set_failures_total"] }, alone.metricsUrl)).toEqual({ failed: 1 });
  });

  it("jobs that have failed permanently", async () => {
    await service.db.$executeRawUnsafe(
      `INSERT INTO pgboss.job (name, data, retry_limit) VALUES ('leftovers', '{"work": "nothing that exists"}', 0)`,
    );
    await eventually("a failed job", async () => {
      return (await scrape(service.metricsUrl)).sum("plumbline_jobs", { queue: "leftovers", state: "failed" }) === 1;
    });
  });

  it("the oldest waiting job, and jobs by state", async () => {
    // One that was not scraped before, because the counts of jobs are kept for a while.
    await using alone = await startTestService({ METRICS_PORT: "0", ROLE: "api" });
    const ada = await alone.as();
    for (let n = 0; n < 2; n++) await upload(ada, await smallClip());
    await alone.db.$executeRaw`UPDATE pgboss.job SET start_after = now() - interval '90 seconds' WHERE name = 'video-uploads'`;
    const { sum } = await scrape(alone.metricsUrl);
    expect(sum("plumbline_jobs", { queue: "video-uploads", state: "waiting" })).toBe(2);
    expect(sum("plumbline_jobs_oldest_waiting_seconds", { queue: "video-uploads" })).toBeGreaterThanOrEqual(90);
  });
});

it("the metrics show the versions of the service and of Node", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const labels = { version, node: process.versions.node };
  expect((await scrape(service.metricsUrl)).sum("plumbline_build_info", labels)).toBe(1);
});

describe("the port of the metrics", () => {
  it("answers GET and HEAD of /metrics, and nothing else", async () => {
    const { origin } = new URL(service.metricsUrl);
    const status = async (path: string, method = "GET") => (await fetch(origin + path, { method })).status;
    expect((await fetch(service.metricsUrl)).headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await status("/metrics", "HEAD")).toBe(200);
    for (const path of ["/", "/posts", "/health", "/docs", "/metrics/", "/metrics/x"])
      expect([path, await status(path)]).toEqual([path, 404]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect([method, await status("/metrics", method)]).toEqual([method, 404]);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  });

  it("responds soon without the database, reports that, and shows no old numbers", async () => {
    const database = await createTestDatabase();
    await using proxy = await startTcpProxy(database.url);
    const settings = { ...{ METRICS_PORT: "0", ROLE: "api" }, DATABASE_POOL_TIMEOUT_SECONDS: "1" };
    await using away = await startTestService({ ...settings, DATABASE_URL: proxy.url }, database);
    const ada = await away.as();
    const post = () => ada("POST", "/posts", { title: "A", body: "B" });
    const first = await scrape(away.metricsUrl);
    expect([first.sum("plumbline_database_up"), first.names.has("plumbline_jobs")]).toEqual([1, true]);
    for (const fault of ["freeze", "cut"] as const) {
      await eventually("a post", async () => (await post()).status === 201);
      await proxy[fault]();
      await eventually("metrics without the database", async () => {
        const startedMs = performance.now();
        const { sum, names } = await scrape(away.metricsUrl);
        // Prometheus waits for 10 s by default.
        expect(performance.now() - startedMs).toBeLessThan(8_000 * crowding());
        return (
          sum("plumbline_database_up") === 0 && !names.has("plumbline_jobs") && names.has("plumbline_http_requests_in_flight")
        );
      });
      await proxy.mend();
      await eventually("the database", async () => (await scrape(away.metricsUrl)).sum("plumbline_database_up") === 1);
    }
  });

  it("answers each scrape, however many other connections are idle or have sent half a request", async () => {
    const { port, hostname } = new URL(service.metricsUrl);
    const others: Socket[] = [];
    try {
      for (let round = 0; round < 5; round++) {
        for (let n = 0; n < 40; n++) {
          const socket = connect(Number(port), hostname).on("error", () => undefined);
          await once(socket, "connect");
          if (n % 2 === 0) socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n");
          others.push(socket);
        }
        expect((await scrape(service.metricsUrl)).sum("plumbline_database_up")).toBe(1);
      }
      expect(others).toHaveLength(200);
      await eventually("the end of the oldest of them", () => others.slice(0, 160).every((it) => it.closed));
    } finally {
      for (const it of others) it.destroy();
    }
  });

  it("is one of several in a process, each with its own numbers, also of a worker without an API", async () => {
    await using worker = await startWorkerOf(narrow, { METRICS_PORT: "0" });
    const act = () => fetch(`${narrow.url}/nowhere`);
    const inBoth = () => added(act, { all: [REQUESTS] }, narrow.metricsUrl);
    let here = {};
    expect(await added(async () => (here = await inBoth()), { all: [REQUESTS] })).toEqual({ all: 0 });
    expect(here).toEqual({ all: 1 });
    const { sum, names } = await scrape(worker.metricsUrl);
    expect([worker.url, sum("plumbline_database_up"), names.has("plumbline_jobs")]).toEqual(["", 1, true]);
  });

  it("is reported at start if it is taken", async () => {
    const { port } = new URL(service.metricsUrl);
    await expect(startWorkerOf(service, { METRICS_PORT: port })).rejects.toThrow(
      `Cannot serve metrics on 127.0.0.1, port ${port} (EADDRINUSE). Set METRICS_HOST or METRICS_PORT.`,
    );
  });
});
