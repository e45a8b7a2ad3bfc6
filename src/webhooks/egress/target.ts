import type { Config } from "../../config.ts";
import { isIP } from "node:net";
import { isLoopback } from "../../settings/values.ts";
import { isPublic, isPublicOrPrivate } from "./addresses.ts";

/** A URL that may be registered, or a sentence for the client that says how a URL has to be. */
export type Target = { readonly kind: "allowed"; readonly url: URL } | { readonly kind: "refused"; readonly reason: string };

export type TargetRules = {
  /** Whether http, and names and addresses of private networks, are allowed. */
  readonly allowsPrivate: boolean;
};

const LENGTH_MAX = 2_048;

/** Endings of names that never belong to a host of the internet. Resolvers of private networks answer for them. */
const PRIVATE_ENDINGS =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|in-addr\.arpa|ip6\.arpa|onion|alt|invalid)$/;

/** Ports above 1023 of databases, queues and file servers, none of which is a receiver. */
const SERVICE_PORTS = new Set([1433, 1521, 2049, 3306, 3389, 5432, 5672, 6379, 9042, 9092, 11_211, 27_017]);

/** Parsers disagree on what these mean, and ours leaves some of them out. */
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cf}]/u;

const refused = (reason: string): Target => ({ kind: "refused", reason });

/** The host of a URL without what is only syntax: brackets of an IPv6 address, and dots at the end of a name. */
export const hostOf = (url: URL): string => url.hostname.replaceAll(/[[\]]/g, "").replace(/\.+$/, "");

/** The port of a URL, which it leaves out if it is that of its scheme. */
export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

/**
 * Checks a URL that a stranger chose, without resolving its name: what a name resolves to can change at any time, so `open` checks
 * that for each request, together with these rules.
 */
export function checkTarget(text: string, { allowsPrivate }: TargetRules): Target {
  if (text.length > LENGTH_MAX) return refused(`The URL must have at most ${LENGTH_MAX} characters.`);
  if (AMBIGUOUS.test(text)) return refused("The URL must have no spaces, backslashes or control characters.");
  const url = URL.parse(text);
  if (url === null) return refused("The URL is not valid.");
  // Characters outside of ASCII become up to nine.
  if (url.href.length > LENGTH_MAX) return refused(`The URL must have at most ${LENGTH_MAX} characters when it is encoded.`);
  if (url.protocol !== "https:" && !(allowsPrivate && url.protocol === "http:"))
    return refused(`The URL must begin with https://${allowsPrivate ? " or http://" : ""}.`);
  if (`${url.username}${url.password}` !== "") return refused("The URL must have no user name and no password.");
  // The URL of an empty fragment has an empty `hash`, so the text says whether there is one.
  if (text.includes("#")) return refused("The URL must have no fragment.");
  return checkHost(hostOf(url), allowsPrivate) ?? checkPort(portOf(url), allowsPrivate) ?? { kind: "allowed", url };
}

function checkHost(host: string, allowsPrivate: boolean): Target | null {
  // The parser has turned decimal, octal, hexadecimal and short forms of IPv4 addresses into the usual one.
  if (isIP(host) !== 0) {
    if (allowsPrivate ? isPublicOrPrivate(host) : isPublic(host)) return null;
    return refused("The URL must not have an IP address that is not public.");
  }
  if (host === "") return refused("The URL must have a host.");
  if (allowsPrivate) return null;
  // A resolver completes a name without a dot with the domain of its own network.
  return PRIVATE_ENDINGS.test(host) || !host.includes(".")
    ? refused("The URL must have a name that is known on the internet.")
    : null;
}

/**
 * Ports below 1024 are those of services of the system, such as mail and SSH: a request must not look like an attack on one of them,
 * and the time that a refused connection takes must not say which of them a host has. Receivers without port 443 use a higher one.
 */
function checkPort(port: number, allowsPrivate: boolean): Target | null {
  const isAllowed = port === 443 || (port >= 1_024 && !SERVICE_PORTS.has(port)) || (allowsPrivate && port === 80);
  return isAllowed ? null : refused("The URL must have port 443, or one from 1024 that is not that of a database or a queue.");
}

type Surroundings = Pick<Config, "NODE_ENV" | "HOST" | "DATABASE_URL" | "WEBHOOK_PRIVATE_ADDRESSES">;

/** Whether webhooks can go to http URLs and to private addresses. */
export const allowsPrivate = (config: Surroundings): boolean =>
  config.WEBHOOK_PRIVATE_ADDRESSES === "auto" ? isOfOneMachine(config) : config.WEBHOOK_PRIVATE_ADDRESSES === "on";

/** Whether only programs of this machine reach the service. A worker doesn't listen, so the database tells where its API can be. */
export function isOfOneMachine({ NODE_ENV, HOST, DATABASE_URL }: Omit<Surroundings, "WEBHOOK_PRIVATE_ADDRESSES">): boolean {
  return NODE_ENV !== "production" && isLoopback(HOST) && (DATABASE_URL === undefined || isOnThisMachine(DATABASE_URL));
}

/**
 * The driver takes the host of the query first. A path, or none, is a socket of the file system.
 * A URL that can't be read is not of this machine: the connection says what is wrong with it.
 */
function isOnThisMachine(databaseUrl: string): boolean {
  const url = URL.parse(databaseUrl);
  if (url === null) return false;
  const host = url.searchParams.get("host") ?? url.hostname;
  return host === "" || host.startsWith("/") || isLoopback(host);
}
