import { randomInt } from "node:crypto";
import ipaddr from "ipaddr.js";
import type { Input } from "../contract/contract.ts";
import { transaction, type Db } from "../database/client.ts";
import { isUniqueViolation } from "../database/database-failure.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, orNotFound, refusedInput } from "../failure.ts";
import { insertOnce, type Replayable } from "../idempotency/idempotency.ts";
import { chosenDays, eachDay, type Days } from "./days.ts";
import {
  findClicks,
  findOwnUrl,
  findTarget,
  insertUrl,
  lockOwnUrl,
  removeUrl,
  type ClickDayRow,
  type ShortUrlRow,
} from "./store.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const GENERATED_LENGTH = 8;
const GENERATE_ATTEMPTS = 5;
const LIFETIME_YEARS_MAX = 10;

/**
 * Creates a short URL with the requested short code, or with one of 62^8 at random, once for each idempotency key. A short code
 * is never used again.
 */
export async function shorten<O extends Replayable>(
  pool: Runner,
  input: Input<"createUrl">,
  ownOrigin: string,
  respond: (row: ShortUrlRow) => O,
): Promise<{ readonly response: O; readonly expiredUrl: string | null }> {
  const { id: requested, target_url: target, expires_at: expiresAt, expired_url: expired } = input.body;
  const unused = {
    ownerId: input.principal.userId,
    targetUrl: checkedTarget(target, "target_url", ownOrigin),
    clickCount: 0,
    lastClickedAt: null,
    expiresAt: expiry(expiresAt),
    expiredUrl: expired === undefined ? null : checkedTarget(expired, "expired_url", ownOrigin),
  };
  for (let attempt = 0; attempt < GENERATE_ATTEMPTS; attempt++) {
    const url = { ...unused, id: requested ?? generatedId() };
    try {
      const { response } = await insertOnce(
        pool,
        input,
        (claim) => insertUrl(pool, { ...url, ...claim }),
        (createdAt) => respond({ ...url, createdAt }),
      );
      return { response, expiredUrl: unused.expiredUrl };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    if (requested === undefined) continue;
    const detail = `The id ${requested} is or was in use. Choose another id.`;
    throw refusedInput("id_taken", { in: "body", pointer: "/id", detail });
  }
  throw new Error("No free id was found.");
}

/** A short URL of a user that is not deleted. */
export async function readUrl(pool: Runner, ownerId: string, id: string): Promise<ShortUrlRow> {
  return orNotFound(await findOwnUrl(pool, { ownerId, id }), "short URL");
}

/** Deletes a short URL of a user. `requireUnchanged` throws if it doesn't match the precondition of the request. */
export function deleteUrl(db: Db, ownerId: string, id: string, requireUnchanged: (row: ShortUrlRow) => void): Promise<void> {
  return transaction(db, async (tx) => {
    requireUnchanged(orNotFound(await lockOwnUrl(tx, { ownerId, id }), "short URL"));
    await removeUrl(tx, id);
  });
}

/** The clicks of a short URL on each requested day, including days without a row. */
export async function readClicks(
  pool: Runner,
  ownerId: string,
  id: string,
  query: Partial<Days>,
): Promise<readonly ClickDayRow[]> {
  // Access is checked before the days.
  await readUrl(pool, ownerId, id);
  const days = chosenDays(query);
  const counts = new Map((await findClicks(pool, { id, ...days })).map(({ date, clickCount }) => [date, clickCount]));
  return eachDay(days).map((date) => ({ date, clickCount: counts.get(date) ?? 0 }));
}

/** The redirect of a short URL: to its target, or after its end to `expired_url`. */
export async function resolveUrl(pool: Runner, id: string): Promise<{ readonly location: string; readonly isTarget: boolean }> {
  const { targetUrl, expiredUrl, deletedAt, expiresAt } = orNotFound(await findTarget(pool, { id }), "short URL");
  const isExpired = expiresAt !== null && new Date(expiresAt) <= new Date();
  if (deletedAt === null && !isExpired) return { location: targetUrl, isTarget: true };
  if (expiredUrl !== null) return { location: expiredUrl, isTarget: false };
  throw new Failure("gone", deletedAt === null ? "This short URL has expired." : "This short URL was deleted.");
}

function generatedId(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Schemes are case-insensitive (RFC 3986, 3.1), and responses have lower case. */
const withLowerCaseScheme = (url: string) => url.replace(/^https?/i, (scheme) => scheme.toLowerCase());

/** The URL of a field for storage. Refuses an invalid URL, and a URL of this service, because redirects could loop. */
function checkedTarget(sent: string, field: "target_url" | "expired_url", ownOrigin: string): string {
  const refused = (detail: string) => refusedInput("target_not_allowed", { in: "body", pointer: `/${field}`, detail });
  const [url, noun] = [withLowerCaseScheme(sent), field === "target_url" ? "The target" : "The expired_url"];
  const target = URL.parse(url);
  if (target === null) throw refused(`${noun} is not a URL that a browser can follow.`);
  if (hostAndPortOf(target) === hostAndPortOf(new URL(ownOrigin))) throw refused(`${noun} must not be on this service itself.`);
  return url;
}

/**
 * The normalized host and port, without the final dot of a fully qualified name. All addresses of this machine are `localhost` (RFC 6761,
 * 6.3), including 0.0.0.0 and [::].
 */
function hostAndPortOf({ hostname, port }: URL): string {
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
