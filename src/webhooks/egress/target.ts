import type { Config } from "../../config.ts";
import { isIP } from "node:net";
import { isLoopback } from "../../settings/values.ts";
import { isPublic, isPublicOrPrivate } from "./addresses.ts";

/** A URL that may be registered, or the reason for the client why it is refused. */
export type Target = { readonly kind: "allowed"; readonly url: URL } | { readonly kind: "refused"; readonly reason: string };

export type TargetRules = {
  /** Allows http, and names and addresses of private networks. */
  readonly allowsPrivate: boolean;
};

const LENGTH_MAX = 2_048;

/** Suffixes of names that exist only in private networks. */
const PRIVATE_ENDINGS =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|in-addr\.arpa|ip6\.arpa|onion|alt|invalid)$/;

/** Ports above 1023 of databases, queues and file servers, which are no receivers. */
const SERVICE_PORTS = new Set([1433, 1521, 2049, 3306, 3389, 5432, 5672, 6379, 9042, 9092, 11_211, 27_017]);

/** Parsers treat these characters differently. The parser of Node ignores some. */
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cf}]/u;

const refused = (reason: string): Target => ({ kind: "refused", reason });

/** The host of a URL, without the brackets of an IPv6 address and without trailing dots. */
export const hostOf = (url: URL): string => url.hostname.replaceAll(/[[\]]/g, "").replace(/\.+$/, "");

/** The port of a URL. `url.port` is empty for the default port of the scheme. */
export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

/** Checks a user-supplied URL without a lookup. Addresses can change at any time, so `open` checks them for each request. */
export function checkTarget(text: string, { allowsPrivate }: TargetRules): Target {
  if (text.length > LENGTH_MAX) return refused(`The URL must have at most ${LENGTH_MAX} characters.`);
  if (AMBIGUOUS.test(text)) return refused("The URL must have no spaces, backslashes or control characters.");
  const url = URL.parse(text);
  if (url === null) return refused("The URL is not valid.");
  // Encoding turns a character outside of ASCII into up to nine.
  if (url.href.length > LENGTH_MAX) return refused(`The URL must have at most ${LENGTH_MAX} characters when it is encoded.`);
  if (url.protocol !== "https:" && !(allowsPrivate && url.protocol === "http:"))
    return refused(`The URL must begin with https://${allowsPrivate ? " or http://" : ""}.`);
  if (`${url.username}${url.password}` !== "") return refused("The URL must have no user name and no password.");
  // `url.hash` is empty for an empty fragment, too.
  if (text.includes("#")) return refused("The URL must have no fragment.");
  return checkHost(hostOf(url), allowsPrivate) ?? checkPort(portOf(url), allowsPrivate) ?? { kind: "allowed", url };
}

function checkHost(host: string, allowsPrivate: boolean): Target | null {
  // The parser has already normalized decimal, octal, hexadecimal and short forms of IPv4 addresses.
  if (isIP(host) !== 0) {
    if (allowsPrivate ? isPublicOrPrivate(host) : isPublic(host)) return null;
    return refused("The URL must not have an IP address that is not public.");
  }
  if (host === "") return refused("The URL must have a host.");
  if (allowsPrivate) return null;
  // For a name without a dot, a resolver adds the domain of its own network.
  return PRIVATE_ENDINGS.test(host) || !host.includes(".")
    ? refused("The URL must have a name that is known on the internet.")
    : null;
}

/**
 * Ports below 1024 belong to system services: a request must not look like an attack on them, or reveal which of them a host has.
 */
function checkPort(port: number, allowsPrivate: boolean): Target | null {
  const isAllowed = port === 443 || (port >= 1_024 && !SERVICE_PORTS.has(port)) || (allowsPrivate && port === 80);
  return isAllowed ? null : refused("The URL must have port 443, or one from 1024 that is not that of a database or a queue.");
}

type AddressSettings = Pick<Config, "NODE_ENV" | "HOST" | "DATABASE_URL" | "WEBHOOK_PRIVATE_ADDRESSES">;

/** Whether endpoints can have http URLs and private addresses. */
export const allowsPrivate = (config: AddressSettings): boolean =>
  config.WEBHOOK_PRIVATE_ADDRESSES === "auto" ? isLocalOnly(config) : config.WEBHOOK_PRIVATE_ADDRESSES === "on";

/** Whether only programs on this machine can reach the service. A worker doesn't listen, so the address of the database decides. */
export function isLocalOnly({ NODE_ENV, HOST, DATABASE_URL }: Omit<AddressSettings, "WEBHOOK_PRIVATE_ADDRESSES">): boolean {
  return NODE_ENV !== "production" && isLoopback(HOST) && (DATABASE_URL === undefined || isOnThisMachine(DATABASE_URL));
}

/**
 * The driver prefers the host of the query. A path, or no host, means a Unix socket. An invalid URL counts as another machine.
 */
function isOnThisMachine(databaseUrl: string): boolean {
  const url = URL.parse(databaseUrl);
  if (url === null) return false;
  const host = url.searchParams.get("host") ?? url.hostname;
  return host === "" || host.startsWith("/") || isLoopback(host);
}
