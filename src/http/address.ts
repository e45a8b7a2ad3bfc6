import type { Request, RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";

/** Longer than any address; what a proxy says may be anything. */
const TEXT_LENGTH_MAX = 64;

/**
 * Whose requests are counted together when nobody has said who they are: an IPv4 address, or the first 64 bits of an IPv6
 * address, as every host may take as many of the others as it likes (RFC 6177).
 */
export function callerOf(req: Request): string {
  const text = req.ip ?? "";
  if (!ipaddr.isValid(text)) return text.slice(0, TEXT_LENGTH_MAX);
  const address = ipaddr.process(text);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/**
 * Says once, loudly, that a proxy stands in front which nobody has told us of: all its clients then count as one address,
 * and share whatever an address may do.
 */
export function warnOfUntrustedProxy(log: Logger): RequestHandler {
  let hasWarned = false;
  return (req, _res, next) => {
    if (!hasWarned && req.headers["x-forwarded-for"] !== undefined) {
      hasWarned = true;
      log.warn(
        "X-Forwarded-For arrives, but TRUST_PROXY is 0: everybody behind that proxy counts as one address, with one quota for wrong tokens and for following short URLs. Set TRUST_PROXY to the number of proxies in front; ignore this if there is none.",
      );
    }
    next();
  };
}
