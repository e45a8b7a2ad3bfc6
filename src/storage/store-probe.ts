import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { cached } from "../util/cached.ts";
import { StorageFailure, type ObjectStore } from "./object-store.ts";

/** Knows whether the object store takes objects. */
export type StoreProbe = ReturnType<typeof createStoreProbe>;

/** A load balancer needs a response soon, even if the disk hangs. */
const TIMEOUT_MS = 1_000;
/** How long a result is reused, whether success or failure. */
const KEPT_MS = 1_000;

/**
 * Watches the writes to a store. While they succeed, a check only looks, because writes to a bucket cost money. After one was
 * refused, a check stores and removes an object below `prefix`, until that succeeds. The log has a line for each change.
 */
export function createStoreProbe(store: ObjectStore, { prefix, log }: { readonly prefix: string; readonly log: Logger }) {
  let refusal: StorageFailure | null = null;

  const recordRefusal = (error: unknown): never => {
    if (isRefusal(error)) {
      if (refusal === null) log.error({ store_problem: "refused" }, sentenceOf(error));
      refusal = error;
      // The next check must not reuse an earlier result.
      clear();
    }
    throw error;
  };

  const look = async (): Promise<void> => {
    try {
      await (refusal === null ? store.checkAccess(prefix) : writeBelow(store, prefix));
    } catch (error) {
      if (isRefusal(error)) recordRefusal(error);
      // A full disk or a bucket that does not respond says nothing about the right to write.
      if (refusal !== null) throw refusal;
      return;
    }
    if (refusal !== null) log.info("the object store can be written again");
    refusal = null;
  };
  const { get, clear } = cached(() => Promise.race([look(), tooLate()]), KEPT_MS);

  return {
    /** The store, whose writes are watched. */
    objects: {
      ...store,
      put: (...given: Parameters<ObjectStore["put"]>) => store.put(...given).catch(recordRefusal),
      create: (...given: Parameters<ObjectStore["create"]>) => store.create(...given).catch(recordRefusal),
    } satisfies ObjectStore,

    /** Fails with `refused` if the store can't be written: tries it. */
    async tryWrite(): Promise<void> {
      await writeBelow(store, prefix).catch((error: unknown) => {
        if (isRefusal(error)) throw error;
      });
    },

    /** Rejects if the store can't be written, or if that can't be told in time. Looks at most once a second. */
    check: get,
  };
}

const isRefusal = (error: unknown): error is StorageFailure => error instanceof StorageFailure && error.kind === "refused";

async function writeBelow(store: ObjectStore, prefix: string): Promise<void> {
  const key = `${prefix}/probe-${randomUUID()}`;
  await store.put(key, Readable.from([Buffer.from("x")]), { maxBytes: 1 });
  await store.delete(key);
}

async function tooLate(): Promise<never> {
  await delay(TIMEOUT_MS, undefined, { ref: false });
  throw new StorageFailure("unavailable", "the object store does not answer");
}

const sentenceOf = ({ message }: StorageFailure) =>
  `The object store can't be written, so uploads return 503 and this process is not ready: ${message}`;
