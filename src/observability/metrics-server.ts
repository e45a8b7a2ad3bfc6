import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import { StartupError } from "../startup-error.ts";

const PATH = "/metrics";
const CONNECTIONS_MAX = 32;

/** Serves the metrics, and nothing else. Throws a StartupError if the port cannot be opened. */
export async function serveMetrics(registry: Registry, host: string, port: number) {
  /** Scrapes at the same time share one answer. */
  let running: Promise<string> | null = null;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (req, res) => {
    const isAsked = (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === PATH;
    if (!isAsked) return void res.writeHead(404, { "Content-Length": 0, Connection: "close" }).end();
    running ??= registry.metrics().finally(() => (running = null));
    running.then(
      (text) => {
        const headers = { "Content-Type": registry.contentType, "Content-Length": Buffer.byteLength(text) };
        res.writeHead(200, { ...headers, "Cache-Control": "no-store" }).end(req.method === "HEAD" ? undefined : text);
      },
      () => res.writeHead(500, { "Content-Length": 0 }).end(),
    );
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new StartupError(`Cannot serve metrics on ${host}, port ${port} (${code}). Set METRICS_HOST or METRICS_PORT.`, {
      cause: error,
    });
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
    },
  };
}
