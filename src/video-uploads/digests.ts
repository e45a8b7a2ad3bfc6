import { createHash } from "node:crypto";
import { refusedInput } from "../failure.ts";

export type DigestHeaders = { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string };

/** A digest that the client sent, and the hash of the bytes that it is compared with. */
export type Expectation = NonNullable<ReturnType<typeof expectDigest>>;

/** Reads a digest header (RFC 9530): `sha-256=:<base64>:`. The contract has checked its form. Null without the header. */
export function expectDigest(headers: DigestHeaders, header: keyof DigestHeaders) {
  const value = headers[header];
  if (value === undefined) return null;
  const [algorithm, digest] = value.slice(0, -1).split("=:") as [string, string];
  const hash = createHash(algorithm.replace("-", ""));
  return {
    /** Passes the chunks on and hashes them. */
    async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    },
    /** The failure if the bytes do not match the digest, else null. Call it once, after the last chunk. */
    refusal() {
      if (hash.digest("base64") === digest) return null;
      const detail = `The bytes received do not match ${header}. Send them again.`;
      return refusedInput("digest_mismatch", { in: "header", pointer: `/${header.toLowerCase()}`, detail });
    },
  };
}

/** Passes a source through every expectation. */
export const watchedBy = (source: AsyncIterable<Uint8Array>, ...expected: readonly (Expectation | null)[]) =>
  expected.reduce((it, next) => next?.watch(it) ?? it, source);
