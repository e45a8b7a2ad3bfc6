import type { IncomingMessage } from "node:http";
import type { Request } from "express";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";

/** Longer than any IP address, because a proxy can send any text. */
const TEXT_LENGTH_MAX = 64;
const CACHED_MAX = 10_000;

/** The key of requests without credentials in limits. */
export type AddressOf = (req: Request) => string;

/** The address of a client, as Express finds it behind the trusted proxies. */
export function createAddressOf(): AddressOf {
  // Cached, because parsing an address takes longer than all other steps of a short URL.
  const known = new LRUCache<string, string>({ max: CACHED_MAX, memoMethod: clientAddress });
  return ({ ip: text = "" }) => (text.length > TEXT_LENGTH_MAX ? clientAddress(text) : known.memo(text));
}

/** An IPv4 address, or the first 64 bits of an IPv6 address, because a host can use any of the other bits (RFC 6177). */
function clientAddress(text: string): string {
  if (!ipaddr.isValid(text)) return text.slice(0, TEXT_LENGTH_MAX);
  const address = ipaddr.process(text).toString();
  return address.includes(":") ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString() : address;
}

/** Warns once if TRUST_PROXY is 0 and there seems to be a proxy: its clients then share the limits of one address. */
export function warnOfUntrustedProxy(log: Logger): (req: IncomingMessage) => void {
  let hasWarned = false;
  return (req) => {
    if (!hasWarned && req.headers["x-forwarded-for"] !== undefined) {
      hasWarned = true;
      log.warn(
        "A request has X-Forwarded-For, but TRUST_PROXY is 0. If there is a proxy in front of the service, all its clients share the limits of one IP address, such as those on wrong tokens and on following short URLs: set TRUST_PROXY to the number of proxies. If there is none, ignore this.",
      );
    }
  };
}
