/**
 * A process that uses a service as an ordinary client while the test attacks it. In the process of the test, it would wait
 * for the attacker instead of the service. It exchanges messages with its parent.
 */
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", ...authorizations] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const REQUESTS = [
  ["GET", "/account", 200],
  ["GET", "/posts?limit=5", 200],
  ["GET", "/conversations?limit=5", 200],
  ["POST", "/posts", 201],
] as const;
const POST = JSON.stringify({ title: "Meanwhile", body: "Somebody else goes on working." });
/** Enough requests for a reliable p99. Each user sends each of them in turn, so all stay within their rate limits. */
const PAUSE_MS = 5;
const SAMPLES_MIN = 300;

let isOver = false;
/** Begins a new part of a measurement: the parts are reported separately. */
let nextPart: () => void = () => undefined;
process.on("message", (message) => {
  if (message === "stop") isOver = true;
  if (message === "next part") nextPart();
  if (message === "start") {
    isOver = false;
    void measure().then((report) => process.send!(report));
  }
});
process.on("disconnect", () => process.exit());
process.send!("ready");

async function measure(): Promise<{ parts: number[][]; failures: string[] }> {
  let times: number[] = [];
  const parts = [times];
  nextPart = () => parts.push((times = []));
  const failures: string[] = [];
  for (let sent = 0; !isOver || times.length < SAMPLES_MIN; sent++) {
    const [method, path, wanted] = REQUESTS[sent % REQUESTS.length]!;
    const startedMs = performance.now();
    const got = await ask(method, path, authorizations[Math.floor(sent / REQUESTS.length) % authorizations.length]!);
    times.push(performance.now() - startedMs);
    if (got !== wanted) failures.push(`${method} ${path}: ${got}`);
    await delay(PAUSE_MS);
  }
  return { parts, failures };
}

function ask(method: string, path: string, authorization: string): Promise<number | string> {
  return new Promise((done) => {
    const body = method === "POST" ? POST : undefined;
    const headers = { Authorization: authorization, ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    request({ hostname, port, agent, method, path, headers }, (incoming) => {
      incoming
        .resume()
        .on("end", () => done(incoming.statusCode!))
        .on("error", (error) => done(error.message));
    })
      .on("error", (error) => done(error.message))
      .end(body);
  });
}
