import { createHash } from "node:crypto";
import { refusedInput } from "../failure.ts";

export type DigestHeaders = { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string };

/** A digest that a client has sent with some bytes, compared with theirs as they pass. */
export type Expectation = NonNullable<ReturnType<typeof expectDigest>>;

/** RFC 9530: `sha-256=:<base64>:`, whose form the contract has checked. Without a digest anything is right. */
export function expectDigest(headers: DigestHeaders, header: keyof DigestHeaders) {
  const value = headers[header];
  if (value === undefined) return null;
  const [algorithm, digest] = value.slice(0, -1).split("=:") as [string, string];
  const hash = createHash(algorithm.replace("-", ""));
  return {
    /** The same chunks, looked at as they pass. */
    async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    },
    /** What to say when all have passed and are not those that were announced, or null. */
    refusal() {
      if (hash.digest("base64") === digest) return null;
      const detail = `The bytes received do not match ${header}. Send them again.`;
      return refusedInput("digest_mismatch", { in: "header", pointer: `/${header.toLowerCase()}`, detail });
    },
  };
}

/** A source that every expectation looks at. */
export const watchedBy = (source: AsyncIterable<Uint8Array>, ...expected: readonly (Expectation | null)[]) =>
  expected.reduce((it, next) => next?.watch(it) ?? it, source);
