import type { Readable } from "node:stream";
import { contentTooLarge, Failure } from "../failure.ts";
import { StorageFailure, type ObjectStore } from "../storage/object-store.ts";

/** A client that sends nothing for so long has gone, or is holding the connection to no purpose. */
const IDLE_TIMEOUT_MS = 30_000;

/** How many bytes may still come, and how many a video may have in all. */
export type Limits = { readonly maxBytes: number; readonly limitBytes: number };
export type Received = { readonly sizeBytes: number; readonly sha256: string };

/**
 * Streams a request's body into the store, never more of it in memory than a chunk. When it resolves the bytes are
 * durable; when it rejects nothing of them is left.
 */
export async function receive(store: ObjectStore, key: string, body: Readable, { maxBytes, contentDigest }: { maxBytes: number; contentDigest: string | undefined }): Promise<Received> {
  const idle = new AbortController();
  const received = await put(store, key, watched(body, () => idle.abort()), { maxBytes, limitBytes: maxBytes }, idle);
  const refusal = refusalOf(received, contentDigest);
  if (refusal !== null) {
    await store.delete(key);
    throw refusal;
  }
  return received;
}

/** The same for a part of a resumable upload: where the connection breaks, what has arrived is kept, and `isCut` says so. */
export async function receivePiece(store: ObjectStore, key: string, body: Readable, limits: Limits): Promise<Received & { readonly isCut: boolean }> {
  let isCut = false;
  const untilCut = async function* () {
    try {
      yield* watched(body, () => void body.destroy());
    } catch {
      isCut = true;
    }
  };
  const received = await put(store, key, untilCut(), limits, new AbortController());
  return { ...received, isCut };
}

async function put(store: ObjectStore, key: string, source: AsyncIterable<Uint8Array>, { maxBytes, limitBytes }: Limits, idle: AbortController): Promise<Received> {
  try {
    return await store.put(key, source, { maxBytes, signal: idle.signal });
  } catch (error) {
    if (idle.signal.aborted) throw new Failure("request_timeout", `No byte arrived for ${IDLE_TIMEOUT_MS / 1_000} s.`, { cause: error });
    if (error instanceof StorageFailure && error.kind === "too_large") throw contentTooLarge("A video", limitBytes, error);
    throw error;
  }
}

/** Passes the chunks on, and calls out when they stop coming. The request itself stays open, as it still has to be answered. */
async function* watched(body: Readable, onIdle: () => void): AsyncGenerator<Buffer> {
  let timer = setTimeout(onIdle, IDLE_TIMEOUT_MS);
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      // While the store is at it, nobody waits for the client.
      clearTimeout(timer);
      yield chunk as Buffer;
      timer = setTimeout(onIdle, IDLE_TIMEOUT_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf({ sizeBytes, sha256 }: Received, contentDigest: string | undefined): Failure | null {
  if (sizeBytes === 0) return new Failure("malformed_body", "The body is empty; send the bytes of the video.");
  // RFC 9530: `sha-256=:<base64>:`, whose form the contract has checked.
  if (contentDigest !== undefined && contentDigest.slice("sha-256=:".length, -1) !== Buffer.from(sha256, "hex").toString("base64")) {
    const detail = "The bytes that arrived do not have this Content-Digest; send them again.";
    return new Failure("digest_mismatch", detail, { errors: [{ in: "header", pointer: "/content-digest", code: "digest_mismatch", detail }] });
  }
  return null;
}
