import { createHash } from "node:crypto";
import { refusedInput } from "../failure.ts";

type DigestHeaders = { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string };

/** A digest that the client has sent, with the hash to compare it with. */
export type Expectation = NonNullable<ReturnType<typeof expectDigest>>;
/** The digests of the body of a request, and of the whole upload. */
export type Digests = { readonly content: Expectation | null; readonly whole: Expectation | null };

export const digestsIn = (headers: DigestHeaders): Digests => ({
  content: expectDigest(headers, "Content-Digest"),
  whole: expectDigest(headers, "Repr-Digest"),
});

/** Parses a digest field (RFC 9530): `sha-256=:<base64>:`. Its form is already validated. Null without the field. */
function expectDigest(headers: DigestHeaders, header: keyof DigestHeaders) {
  const value = headers[header];
  if (value === undefined) return null;
  const [algorithm, digest] = value.slice(0, -1).split("=:") as [string, string];
  const hash = createHash(algorithm.replace("-", ""));
  return {
    /** Adds a chunk to the hash. */
    update: (chunk: Uint8Array) => void hash.update(chunk),
    /** The failure if the bytes do not match the digest, else null. Call it once, after the last chunk. */
    refusal() {
      if (hash.digest("base64") === digest) return null;
      const detail = `The bytes received do not match ${header}. Send them again.`;
      return refusedInput("digest_mismatch", { in: "header", pointer: `/${header.toLowerCase()}`, detail });
    },
  };
}
