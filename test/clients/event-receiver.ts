import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { grown } from "./next-minor-version.ts";

/** How long a GET waits for an event. */
const WAIT_MS = 60_000;

type Waiting = (event: string) => void;

/**
 * A receiver of webhooks for journeys that run no HTTP server of their own. POST takes an event, and GET on the same path waits for the
 * next one and returns it. As after a minor version, each has fields that its reader doesn't know.
 */
export async function startEventReceiver(): Promise<{ url: string; stop: () => void }> {
  const queues = new Map<string, { events: string[]; waiting: Waiting[] }>();
  const server = createServer((req, res) => {
    const path = req.url ?? "/";
    const queue = queues.get(path) ?? { events: [], waiting: [] };
    queues.set(path, queue);
    if (req.method === "GET") answer(queue, res);
    else void take(queue, req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

type Queue = { readonly events: string[]; readonly waiting: Waiting[] };

async function take({ events, waiting }: Queue, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const event = JSON.stringify(grown(JSON.parse(await text(req))));
  res.writeHead(204).end();
  const next = waiting.shift();
  if (next === undefined) events.push(event);
  else next(event);
}

function answer({ events, waiting }: Queue, res: ServerResponse): void {
  const send = (event: string): void => void res.writeHead(200, { "Content-Type": "application/json" }).end(event);
  const event = events.shift();
  if (event !== undefined) return send(event);
  waiting.push(send);
  const timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(send), 1);
    res.writeHead(504).end();
  }, WAIT_MS);
  res.once("close", () => clearTimeout(timer));
}
