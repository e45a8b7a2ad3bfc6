import { invalid } from "./refusal.ts";
import type { Position } from "./store.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return null;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const encodePosition = ({ created_at, id }: { readonly created_at: string; readonly id: string }) =>
  encode([created_at, id]);

/** The row at which a page ended; null without a cursor. */
export function decodePosition(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null;
  const [at, id] = (decode(cursor) ?? []) as unknown[];
  if (typeof at !== "string" || typeof id !== "string" || Number.isNaN(Date.parse(at)) || !UUID.test(id))
    throw invalid("This is not a cursor of this list.");
  return { at, id };
}

export const encodeSequence = (sequence: number) => encode(sequence);

export function decodeSequence(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const sequence = decode(cursor);
  if (!Number.isInteger(sequence)) throw invalid("This is not a cursor of this list.");
  return sequence as number;
}

export const encodeSeen = (seen: { readonly snapshot: string; readonly until: Date }) => encode(seen);
