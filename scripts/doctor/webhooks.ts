import { readFile } from "node:fs/promises";
import { Client } from "undici";
import type { Config } from "../../src/config.ts";
import { allowsPrivate, isLocalOnly } from "../../src/webhooks/index.ts";
import type { Subject } from "./database.ts";
import { fault, good, sentenceOf, warning, type Checks } from "./finding.ts";

const TIMEOUT_MS = 5_000;

/** Checks of the settings for webhooks, and of the proxy. */
export const webhookChecks: Checks<Config> = {
  webhook_addresses(config) {
    if (!allowsPrivate(config)) return good("Webhooks go only to https URLs at public addresses.");
    if (isLocalOnly(config))
      return good("Webhooks can go to http URLs and private addresses, because only this machine reaches the service.");
    return warning(
      "WEBHOOK_PRIVATE_ADDRESSES is on, so every user who creates a webhook endpoint can send requests into the network of the workers.",
    );
  },

  async webhook_proxy({ ROLE, WEBHOOK_PROXY: proxy }) {
    if (ROLE === "api" || proxy === undefined) return null;
    let status: number;
    try {
      status = await statusOfTunnelToItself(new URL(proxy));
    } catch (error) {
      return fault(`The proxy for webhooks (WEBHOOK_PROXY) cannot be used, so no event is sent: ${sentenceOf(error)}`);
    }
    if (status === 407)
      return fault("The proxy for webhooks (WEBHOOK_PROXY) refuses its user and password (407), so no event is sent.");
    if (status >= 300) return good("The proxy for webhooks answers, and refuses a name that leads to a private address.");
    return fault(
      "The proxy for webhooks (WEBHOOK_PROXY) opens a tunnel to localhost, so every user can reach what the proxy can reach; let it refuse names that lead to private addresses.",
    );
  },
};

/** Checks of the network for webhooks. */
export const endpointChecks: Checks<Subject> = {
  async webhook_way_out({ config: { ROLE, WEBHOOK_PROXY: proxy }, direct }) {
    if (ROLE === "api" || proxy !== undefined) return null;
    const { rows: tables } = await direct.query("SELECT FROM pg_class WHERE oid = to_regclass('webhook_endpoints')");
    if (tables.length === 0 || (await direct.query("SELECT FROM webhook_endpoints LIMIT 1")).rows.length === 0) return null;
    const isFound = await hasDefaultRoute();
    if (isFound === null) return null;
    if (isFound) return good("Webhooks can leave this machine, which has a default route.");
    return warning(
      "There are webhook endpoints, but from here no event can reach the internet: there is no default route, and WEBHOOK_PROXY is not set. Give workers a network that leads there, or set WEBHOOK_PROXY.",
    );
  },
};

const ROUTE_IS_UP = 0x1;
const ROUTE_IS_REJECT = 0x200;

/** Whether this machine, or its container, has a default route. Null if unknown, because only Linux has these files. */
async function hasDefaultRoute(): Promise<boolean | null> {
  const [ipv4, ipv6] = await Promise.all(
    ["route", "ipv6_route"].map((it) => readFile(`/proc/net/${it}`, "utf8").catch(() => null)),
  );
  if (typeof ipv4 !== "string") return null;
  const fieldsOf = (text: string) => text.split("\n").map((line) => line.trim().split(/\s+/));
  const flags = [
    ...fieldsOf(ipv4).flatMap(([, to, , flag, , , , mask]) => (to === "00000000" && mask === "00000000" ? [flag] : [])),
    ...fieldsOf(ipv6 ?? "").flatMap((it) => (/^0{32}$/.test(it[0]!) && it[1] === "00" ? [it[8]] : [])),
  ];
  return flags.some((it) => (Number(`0x${it}`) & (ROUTE_IS_UP | ROUTE_IS_REJECT)) === ROUTE_IS_UP);
}

/** Requests a tunnel to the proxy's own port on localhost, which is harmless, and closes it. */
async function statusOfTunnelToItself(proxy: URL): Promise<number> {
  const port = proxy.port || (proxy.protocol === "https:" ? "443" : "80");
  const target = `localhost:${port}`;
  const login = [proxy.username, proxy.password].map(decodeURIComponent).join(":");
  const client = new Client(proxy.origin, { connectTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS });
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: {
        host: target,
        ...(proxy.username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    socket.on("error", () => undefined).destroy();
    return statusCode;
  } finally {
    await client.destroy();
  }
}
