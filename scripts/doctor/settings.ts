import type { Config } from "../../src/config.ts";
import { fault, good, warning, type Checks } from "./finding.ts";

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
const isLocal = (url: string) => LOOPBACK.test(new URL(url).hostname);
/** A random secret has at least this number of different characters. */
const DISTINCT_CHARACTERS_MIN = 10;
const GUESSABLE = /secret|passwor[dt]|change|example|plumbline|12345|qwert/i;

/** Checks that need only the settings. */
export const settingsChecks: Checks<Config> = {
  environment({ NODE_ENV, DATABASE_URL }) {
    if (NODE_ENV === "production") return good("NODE_ENV is production.");
    if (DATABASE_URL === undefined) return good(`NODE_ENV is ${NODE_ENV}, so the rules for production are not checked.`);
    return warning(`NODE_ENV is ${NODE_ENV}, but DATABASE_URL is set; if clients use this service, set NODE_ENV=production.`);
  },

  cursor_secrets({ NODE_ENV, CURSOR_SECRETS }) {
    if (CURSOR_SECRETS === undefined)
      return NODE_ENV === "production"
        ? fault("CURSOR_SECRETS is not set.")
        : good(
            "CURSOR_SECRETS is not set, so cursors are encrypted with a key that everyone knows; that is enough for development.",
          );
    const weak = CURSOR_SECRETS.findIndex((it) => new Set(it).size < DISTINCT_CHARACTERS_MIN || GUESSABLE.test(it));
    if (weak === -1) return good("The secrets in CURSOR_SECRETS look random.");
    return warning(
      `Secret ${weak + 1} in CURSOR_SECRETS looks like a word that a person chose; put a random one in front of it, such as the output of \`openssl rand -base64 32\`, and remove it when old cursors may fail.`,
    );
  },

  public_url({ NODE_ENV, ROLE, PUBLIC_URL: url }) {
    if (ROLE === "worker") return null;
    if (url === undefined)
      return NODE_ENV === "production"
        ? warning(
            "PUBLIC_URL is not set, so short URLs begin with the address that the service listens on; set it to the URL that clients use.",
          )
        : good("PUBLIC_URL is not set, so links begin with the address that the service listens on.");
    if (url.startsWith("https://") || NODE_ENV !== "production") return good(`Links begin with ${url}.`);
    return (isLocal(url) ? warning : fault)(`PUBLIC_URL is ${url}, so API keys cross the network without encryption; use https.`);
  },

  trust_proxy({ ROLE, PUBLIC_URL = "", HOST, TRUST_PROXY: proxies }) {
    if (ROLE === "worker") return null;
    if (proxies > 0 && !LOOPBACK.test(HOST))
      return good(
        `The address of a client is the one that ${proxies} proxies report (TRUST_PROXY); only they may reach ${HOST}.`,
      );
    if (proxies > 0 || !PUBLIC_URL.startsWith("https://")) return good(`TRUST_PROXY is ${proxies}.`);
    return warning(
      "PUBLIC_URL is https, so there is a proxy in front of the service, but TRUST_PROXY is 0: all clients share the limits of one IP address. Set TRUST_PROXY to the number of proxies.",
    );
  },

  cors({ ROLE, CORS_ORIGINS: origins }) {
    if (ROLE === "worker") return null;
    if (origins.includes("*")) return good("Web pages of all origins can call the API; it uses no cookies.");
    const wrong = origins.filter((it) => URL.parse(it)?.origin !== it);
    if (wrong.length === 0) return good(`Web pages of ${origins.join(", ") || "no origin"} can call the API.`);
    return fault(
      `CORS_ORIGINS has ${wrong.join(", ")}, which no browser sends as an origin; write only scheme, host and port, such as https://example.com.`,
    );
  },

  rate_limits({ NODE_ENV, ROLE, RATE_LIMITS }) {
    if (ROLE === "worker") return null;
    if (RATE_LIMITS !== null) return good("Rate limits are on.");
    return (NODE_ENV === "production" ? warning : good)("RATE_LIMITS is off, so one client can use up the service.");
  },

  shutdown_delay({ NODE_ENV, ROLE, SHUTDOWN_DELAY_SECONDS: seconds }) {
    if (ROLE === "worker") return null;
    if (seconds > 0 || NODE_ENV !== "production") return good(`A shutdown waits ${seconds} s before the port closes.`);
    return warning(
      "SHUTDOWN_DELAY_SECONDS is 0, so a load balancer can send requests to a port that is already closed; choose more than its polling interval.",
    );
  },

  object_store_connection({ NODE_ENV, OBJECT_STORE, S3_ENDPOINT: endpoint }) {
    if (OBJECT_STORE === "file" || endpoint === undefined) return null;
    if (endpoint.startsWith("https://") || isLocal(endpoint) || NODE_ENV !== "production") return null;
    return warning("S3_ENDPOINT is not https, so videos cross the network without encryption.");
  },
};
