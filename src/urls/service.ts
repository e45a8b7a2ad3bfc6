import { randomInt } from "node:crypto";
import type { Schemas } from "../contract/contract.ts";
import type { Tx } from "../database/client.ts";
import { Failure, found, notFound, refusedInput } from "../failure.ts";
import { findAnyUrl, findOwnUrl, insertUrl, removeOwnUrl, type ShortUrlRow } from "./store.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const GENERATED_LENGTH = 8;
const GENERATE_ATTEMPTS = 5;
const LIFETIME_YEARS_MAX = 10;

/** Creates a short URL with the requested short code, or with one of 62^8 at random. A short code is never used again. */
export async function shorten(
  tx: Tx,
  ownerId: string,
  request: Schemas["CreateUrlRequest"],
  ownOrigin: string,
): Promise<ShortUrlRow> {
  refuseTarget(request.target_url, ownOrigin);
  const url = { ownerId, targetUrl: request.target_url, expiresAt: expiry(request.expires_at) };
  for (let attempt = 0; attempt < GENERATE_ATTEMPTS; attempt++) {
    const row = await insertUrl(tx, { ...url, id: request.id ?? generatedId() });
    if (row !== null) return row;
    if (request.id === undefined) continue;
    const detail = `The id ${request.id} is or was in use. Choose another id.`;
    throw refusedInput("id_taken", { in: "body", pointer: "/id", detail });
  }
  throw new Error("No free id was found.");
}

/** A short URL of this user. A deleted one is not found. */
export async function readUrl(tx: Tx, ownerId: string, id: string): Promise<ShortUrlRow> {
  return found(await findOwnUrl(tx, ownerId, id), "short URL");
}

export async function deleteUrl(tx: Tx, ownerId: string, id: string): Promise<void> {
  if (!(await removeOwnUrl(tx, ownerId, id))) throw notFound("short URL");
}

/** The target of a short URL of any owner. */
export async function resolveUrl(tx: Tx, id: string): Promise<string> {
  const row = found(await findAnyUrl(tx, id), "short URL");
  if (row.deletedAt !== null) throw new Failure("gone", "This short URL was deleted.");
  if (row.expiresAt !== null && row.expiresAt <= new Date()) throw new Failure("gone", "This short URL has expired.");
  return row.targetUrl;
}

function generatedId(): string {
  return Array.from({ length: GENERATED_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Refuses a target that matches the contract's pattern but is not a URL, and a target on this service: redirects could loop. */
function refuseTarget(targetUrl: string, ownOrigin: string): void {
  const refused = (detail: string) => refusedInput("target_not_allowed", { in: "body", pointer: "/target_url", detail });
  const target = URL.parse(targetUrl);
  if (target === null) throw refused("The target is not a URL that a browser can follow.");
  if (bareHost(target) === bareHost(new URL(ownOrigin))) throw refused("The target must not be on this service itself.");
}

/** The host and port, without the final dot that a fully qualified host name can have. */
const bareHost = (url: URL) => url.host.replace(/\.(?=:|$)/, "");

function expiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const at = new Date(text);
  const latest = new Date();
  latest.setUTCFullYear(latest.getUTCFullYear() + LIFETIME_YEARS_MAX);
  if (at > new Date() && at <= latest) return at;
  const detail = `expires_at must be in the future and at most ${LIFETIME_YEARS_MAX} years away.`;
  throw refusedInput("expires_at_invalid", { in: "body", pointer: "/expires_at", detail });
}
