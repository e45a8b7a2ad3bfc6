/** The object stores that the same tests run with: a folder, and buckets of two servers. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import type { Need } from "./needs.ts";
import { moto, s3rver, type S3Program } from "./s3-server.ts";

export type StoreKind = {
  readonly name: string;
  readonly needs: readonly Need[];
  /** Starts its server. Each `open` returns an empty store. */
  start(): Promise<{ open(): Promise<ObjectStore>; stop(): Promise<void> }>;
};

export const aFolder: StoreKind = {
  name: "a folder",
  needs: [],
  async start() {
    const folder = await mkdtemp(join(tmpdir(), "plumbline-store-"));
    return {
      open: async () => createFileStore(join(folder, randomUUID())),
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

const aBucketOf = ({ name, start }: S3Program, need: Need): StoreKind => ({
  name: `a bucket of ${name}`,
  needs: [need],
  async start() {
    const server = await start();
    return { open: () => createS3Store(server.settings()), stop: server.stop };
  },
});

export const inS3rver = aBucketOf(s3rver, "node");
export const inMoto = aBucketOf(moto, "moto_server");
