import { createHash } from "node:crypto";
import { refusedInput } from "../failure.ts";

type DigestHeaders = { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string };

/** A digest that the client sent, and the hash of the bytes that it is compared with. */
export type Expectation = NonNullable<ReturnType<typeof expectDigest>>;
/** The digests of the body of a request, and of the whole upload. */
export type Digests = { readonly content: Expectation | null; readonly whole: Expectation | null };

/** The digests in the headers of a request. */
export const digestsIn = (headers: DigestHeaders): Digests => ({
  content: expectDigest(headers, "Content-Digest"),
  whole: expectDigest(headers, "Repr-Digest"),
});

/** Reads a digest header (RFC 9530): `sha-256=:<base64>:`. The contract has checked its form. Null without the header. */
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
