import { randomInt } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { AnyOutput, Input } from "../contract/contract.ts";
import type { Tx } from "../database/client.ts";
import { isUniqueViolation } from "../database/database-failure.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, notFound, orNotFound, refusedInput } from "../failure.ts";
import { insertOnce } from "../idempotency/idempotency.ts";
import { findOwnUrl, findTarget, insertUrl, removeOwnUrl, type ShortUrlRow } from "./store.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const GENERATED_LENGTH = 8;
const GENERATE_ATTEMPTS = 5;
const LIFETIME_YEARS_MAX = 10;

/**
 * Creates a short URL with the requested short code, or with one of 62^8 at random, once for each idempotency key. A short code
 * is never used again.
 */
export async function shorten<O extends AnyOutput>(
  pool: Runner,
  input: Input<"createUrl">,
  ownOrigin: string,
  answer: (row: ShortUrlRow) => O,
): Promise<O> {
  const { id: requested, expires_at: expiresAt } = input.body;
  const targetUrl = withLowerCaseScheme(input.body.target_url);
  refuseTarget(targetUrl, ownOrigin);
  const unused = { ownerId: input.principal.userId, targetUrl, clickCount: 0, lastClickedAt: null, expiresAt: expiry(expiresAt) };
  for (let attempt = 0; attempt < GENERATE_ATTEMPTS; attempt++) {
    const id = requested ?? generatedId();
    const draft = (createdAt: string) => ({ ...unused, id, createdAt });
    try {
      return await insertOnce(pool, input, insertUrl, draft, answer);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    if (requested === undefined) continue;
    const detail = `The id ${requested} is or was in use. Choose another id.`;
    throw refusedInput("id_taken", { in: "body", pointer: "/id", detail });
  }
  throw new Error("No free id was found.");
}

/** A short URL of this user. A deleted one is not found. */
export async function readUrl(pool: Runner, ownerId: string, id: string): Promise<ShortUrlRow> {
  return orNotFound(await findOwnUrl(pool, { ownerId, id }), "short URL");
}

export async function deleteUrl(tx: Tx, ownerId: string, id: string): Promise<void> {
  if (!(await removeOwnUrl(tx, ownerId, id))) throw notFound("short URL");
}

/** The target of a short URL of any owner. */
export async function resolveUrl(pool: Runner, id: string): Promise<string> {
  const row = orNotFound(await findTarget(pool, { id }), "short URL");
  if (row.deletedAt !== null) throw new Failure("gone", "This short URL was deleted.");
  if (row.expiresAt !== null && new Date(row.expiresAt) <= new Date()) throw new Failure("gone", "This short URL has expired.");
  return row.targetUrl;
}

function generatedId(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** `HTTPS://` and `https://` are the same scheme (RFC 3986, 3.1), and responses promise the second. The rest stays as it is. */
const withLowerCaseScheme = (url: string) => url.replace(/^https?/i, (scheme) => scheme.toLowerCase());

/** Refuses a target that matches the contract's pattern but is not a URL, and a target on this service: redirects could loop. */
function refuseTarget(targetUrl: string, ownOrigin: string): void {
  const refused = (detail: string) => refusedInput("target_not_allowed", { in: "body", pointer: "/target_url", detail });
  const target = URL.parse(targetUrl);
  if (target === null) throw refused("The target is not a URL that a browser can follow.");
  if (placeOf(target) === placeOf(new URL(ownOrigin))) throw refused("The target must not be on this service itself.");
}

/**
 * The host and port, in one spelling for all names of one place: without the final dot of a fully qualified name, and with
 * `localhost` for all that leads to this machine (RFC 6761, 6.3; a system connects to 0.0.0.0 and [::] as to itself).
 */
function placeOf({ hostname, port }: URL): string {
  const name = hostname.replace(/\.$/, "").replaceAll(/[[\]]/g, "");
  // An IPv4 address that is mapped to IPv6 becomes that address.
  const address = ipaddr.isValid(name) ? ipaddr.process(name) : null;
  const isLocal = /(^|\.)localhost$/.test(name) || ["loopback", "unspecified"].includes(address?.range() ?? "");
  return `${isLocal ? "localhost" : (address?.toString() ?? name)}:${port}`;
}

function expiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const at = new Date(text);
  const latest = new Date();
  latest.setUTCFullYear(latest.getUTCFullYear() + LIFETIME_YEARS_MAX);
  if (at > new Date() && at <= latest) return at.toISOString();
  const detail = `expires_at must be in the future and at most ${LIFETIME_YEARS_MAX} years away.`;
  throw refusedInput("expires_at_invalid", { in: "body", pointer: "/expires_at", detail });
}
