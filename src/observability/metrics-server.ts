import { createServer } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import { openPort } from "../util/open-port.ts";

const PATH = "/metrics";
const CONNECTIONS_MAX = 32;
const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
/** Longer than a scrape takes without the database. */
const STALLED_MS = 10_000;

/**
 * Serves the metrics. Above the limit, a new connection replaces the oldest one without a request, so that idle connections can't exclude
 * Prometheus. Throws a StartupError if the port cannot be opened.
 */
export async function serveMetrics(registry: Registry, host: string, port: number) {
  /** Concurrent scrapes share one result. */
  let running: Promise<string> | null = null;
  /** The connections, oldest first, and whether their request has arrived. */
  const connections = new Map<Socket, boolean>();
  const server = createServer(TIMEOUTS, (req, res) => {
    connections.set(req.socket, true);
    res.setHeader("Connection", "close");
    const isScrape = (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === PATH;
    if (!isScrape) return void res.writeHead(404, { "Content-Length": 0 }).end();
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
      const [replaced] = open.find(([, hasRequest]) => !hasRequest) ?? open[0]!;
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
