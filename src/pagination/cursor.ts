import { createCipheriv, createDecipheriv, hash, hkdfSync } from "node:crypto";
import { refusedInput, type Failure } from "../failure.ts";

/** The list of a cursor: the operation, the resource in its path, the order and the filters. A cursor is refused in any other list. */
export type CursorContext = Readonly<Record<string, string>>;

export type Cursors = ReturnType<typeof createCursors>;

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 2;

type Key = { readonly id: number; readonly encryption: Buffer; readonly derivation: string };

/**
 * Encrypts cursors with AES-256-GCM and the context as associated data, so that clients can't read a cursor or use it in another list.
 * The IV is derived from context and plaintext (a synthetic IV as in RFC 5297), so that equal pages have equal ETags.
 * The first secret encrypts, and every secret decrypts, so that secrets can be rotated.
 */
export function createCursors(secrets: readonly string[]) {
  const keys = secrets.map(deriveKey);
  const current = keys[0];
  if (current === undefined) throw new Error("createCursors needs at least one secret.");

  return {
    /** The cursors of a list. */
    of(context: CursorContext) {
      const data = associatedData(context);
      return {
        /** Returns an opaque token of `[A-Za-z0-9_-]` for a position. Equal positions have equal tokens. */
        encode: (position: readonly (string | number)[]): string => seal(current, data, JSON.stringify(position)),
        /** Returns the position of a token. Throws `Failure(invalid_cursor)` if this service did not make it for this context. */
        decode: (parameter: string, token: string) => decode(keys, data, parameter, token),
      };
    },
  };
}

function decode(keys: readonly Key[], data: AssociatedData, parameter: string, token: string): readonly (string | number)[] {
  const bytes = Buffer.from(token, "base64url");
  // In base64url, several last characters can encode the same bytes. Only the canonical form is accepted.
  if (bytes.toString("base64url") !== token) throw invalidCursor(parameter);
  // The id is one byte, so several secrets can have the same id. The right key is the one that decrypts the token.
  for (const key of keys.filter((it) => bytes[0] === VERSION && it.id === bytes[1])) {
    const text = open(key, data, bytes);
    if (text !== null) return JSON.parse(text) as (string | number)[];
  }
  throw invalidCursor(parameter);
}

/** The same failure for every invalid cursor, so that it reveals nothing about the token. */
export function invalidCursor(parameter: string): Failure {
  const detail = `${parameter} is not a cursor for this list with these filters and this sort order. Start again without it.`;
  return refusedInput("invalid_cursor", { in: "query", pointer: `/${parameter}`, detail });
}

/** The IV is the hash of a key, the context and the text. It shows 96 of 256 bits, so nobody can extend the hash. */
function seal(key: Key, { text: context, bytes: data }: AssociatedData, text: string): string {
  // As text, because Node takes longer to make a Buffer than to hash.
  const iv = Buffer.from(hash("sha256", `${key.derivation}${context}\0${text}`, "hex").slice(0, 2 * IV_BYTES), "hex");
  const cipher = createCipheriv("aes-256-gcm", key.encryption, iv, { authTagLength: TAG_BYTES }).setAAD(data);
  const parts = [Buffer.of(VERSION, key.id), iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64url");
}

function open(key: Key, data: AssociatedData, bytes: Buffer): string | null {
  const iv = bytes.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.encryption, iv, { authTagLength: TAG_BYTES })
      .setAAD(data.bytes)
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES + IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
  } catch {
    return null;
  }
}

type AssociatedData = { readonly text: string; readonly bytes: Buffer };

function associatedData(context: CursorContext): AssociatedData {
  const entries = Object.entries(context);
  const text = JSON.stringify([VERSION, ...entries.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return { text, bytes: Buffer.from(text) };
}

function deriveKey(secret: string): Key {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", "plumbline cursor v1", 65));
  return { id: bytes[0]!, encryption: bytes.subarray(1, 33), derivation: bytes.toString("hex", 33, 65) };
}
