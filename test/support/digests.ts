import { createHash } from "node:crypto";

export const contentDigestOf = (bytes: Uint8Array) => `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
