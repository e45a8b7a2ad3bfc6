import { createServer } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import { openPort } from "../util/open-port.ts";

const PATH = "/metrics";
const CONNECTIONS_MAX = 32;
const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
/** Longer than a scrape takes while the database is away. */
const STALLED_MS = 10_000;

/**
 * Serves the metrics, and nothing else. A new connection always gets in: if there are too many, it replaces the oldest one that
 * has not sent its request, so that idle ones can't keep Prometheus out. Each has one request. Throws a StartupError if the port
 * cannot be opened.
 */
export async function serveMetrics(registry: Registry, host: string, port: number) {
  /** Scrapes at the same time share one answer. */
  let running: Promise<string> | null = null;
  /** Whether the request has arrived, for each connection, oldest first. */
  const connections = new Map<Socket, boolean>();
  const server = createServer(TIMEOUTS, (req, res) => {
    connections.set(req.socket, true);
    res.setHeader("Connection", "close");
    const isAsked = (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === PATH;
    if (!isAsked) return void res.writeHead(404, { "Content-Length": 0 }).end();
    running ??= registry.metrics().finally(() => (running = null));
    running.then(
      (text) => {
        const headers = { "Content-Type": registry.contentType, "Content-Length": Buffer.byteLength(text) };
        res.writeHead(200, { ...headers, "Cache-Control": "no-store" }).end(req.method === "HEAD" ? undefined : text);
      },
      () => res.writeHead(500, { "Content-Length": 0 }).end(),
    );
  });
  server.timeout = STALLED_MS;
  server.on("connection", (socket) => {
    if (connections.size === CONNECTIONS_MAX) {
      const open = [...connections];
      const [replaced] = open.find(([, hasAsked]) => !hasAsked) ?? open[0]!;
      connections.delete(replaced);
      replaced.destroy();
    }
    connections.set(socket, false);
    socket.once("close", () => connections.delete(socket));
  });
  const sentence = (code: string) => `Cannot serve metrics on ${host}, port ${port} (${code}). Set METRICS_HOST or METRICS_PORT.`;
  return {
    port: await openPort(server, host, port, sentence),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
    },
  };
}
