import { createHash, type Hash } from "node:crypto";
import { refusedInput, type Failure } from "../failure.ts";

/** A digest that a client has sent with some bytes, compared with theirs as they pass. */
export type Expectation = {
  /** The same chunks, looked at as they pass. */
  watch(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** What to say when all have passed and are not those that were announced, or null. */
  refusal(): Failure | null;
};

const ALGORITHMS: Readonly<Record<string, string>> = { "sha-256": "sha256", "sha-512": "sha512" };

export type DigestHeaders = { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string };

/** RFC 9530: `sha-256=:<base64>:`, whose form the contract has checked. Without a digest anything is right. */
export function expectDigest(headers: DigestHeaders, header: keyof DigestHeaders): Expectation | null {
  const value = headers[header];
  if (value === undefined) return null;
  const [algorithm = "", digest] = value.slice(0, -1).split("=:") as [string, string];
  const hash = createHash(ALGORITHMS[algorithm]!);
  return {
    watch: (source) => hashed(source, hash),
    refusal: () => (hash.digest("base64") === digest ? null : mismatch(header)),
  };
}

/** A source that every expectation looks at. */
export const watchedBy = (source: AsyncIterable<Uint8Array>, ...expected: readonly (Expectation | null)[]) =>
  expected.reduce((it, next) => next?.watch(it) ?? it, source);

async function* hashed(source: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

function mismatch(header: keyof DigestHeaders): Failure {
  const detail = `The bytes received do not match ${header}. Send them again.`;
  return refusedInput("digest_mismatch", { in: "header", pointer: `/${header.toLowerCase()}`, detail });
}
