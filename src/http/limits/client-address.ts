import type { Request, RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";

/** Longer than any IP address. A proxy can send any text. */
const TEXT_LENGTH_MAX = 64;

/**
 * The key under which requests without credentials are counted: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because a host can use any of the other bits (RFC 6177).
 */
export function clientAddress(req: Request): string {
  const text = req.ip ?? "";
  if (!ipaddr.isValid(text)) return text.slice(0, TEXT_LENGTH_MAX);
  const address = ipaddr.process(text).toString();
  return address.includes(":") ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString() : address;
}

/** Warns once if TRUST_PROXY is 0 but there seems to be a proxy, because its clients then share the limits of one address. */
export function warnOfUntrustedProxy(log: Logger): RequestHandler {
  let hasWarned = false;
  return (req, _res, next) => {
    if (!hasWarned && req.headers["x-forwarded-for"] !== undefined) {
      hasWarned = true;
      log.warn(
        "A request has X-Forwarded-For, but TRUST_PROXY is 0. If there is a proxy in front of the service, all its clients share the limits of one IP address, such as those on wrong tokens and on following short URLs: set TRUST_PROXY to the number of proxies. If there is none, ignore this.",
      );
    }
    next();
  };
}
