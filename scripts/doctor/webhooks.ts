import { Client } from "undici";
import type { Config } from "../../src/config.ts";
import { fault, good, sentenceOf, warning, type Checks } from "./finding.ts";

const TIMEOUT_MS = 5_000;

/** Checks of the settings for webhooks, and of the proxy. */
export const webhookChecks: Checks<Config> = {
  webhook_addresses({ NODE_ENV, WEBHOOK_PRIVATE_ADDRESSES: allowed }) {
    if (NODE_ENV !== "production") return null;
    if (allowed !== "on") return good("Webhooks go only to https URLs at public addresses.");
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

/** Asks a proxy for a tunnel to its own port by the name localhost, which harms nothing, and closes it again. */
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
