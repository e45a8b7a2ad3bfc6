import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { cached } from "../util/cached.ts";
import { StorageFailure, type ObjectStore } from "./object-store.ts";

/** Checks whether the object store accepts writes. */
export type StoreProbe = ReturnType<typeof createStoreProbe>;

/** A load balancer needs a quick response, even if the disk hangs. */
const TIMEOUT_MS = 1_000;
/** How long a success or failure is cached. */
const CACHE_MS = 1_000;

/**
 * Checks without a write, because writes to a bucket cost money. After a refused write, stores and deletes an object until that
 * succeeds.
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

  const probe = async (): Promise<void> => {
    try {
      await (refusal === null ? store.checkAccess(prefix) : writeBelow(store, prefix));
    } catch (error) {
      if (isRefusal(error)) recordRefusal(error);
      // A full disk, or a bucket that does not respond, is no lack of permission.
      if (refusal !== null) throw refusal;
      return;
    }
    if (refusal !== null) log.info("the object store can be written again");
    refusal = null;
  };
  const { get, clear } = cached(() => Promise.race([probe(), tooLate()]), CACHE_MS);

  return {
    /** The same store, with observed writes. */
    objects: {
      ...store,
      put: (...args: Parameters<ObjectStore["put"]>) => store.put(...args).catch(recordRefusal),
      create: (...args: Parameters<ObjectStore["create"]>) => store.create(...args).catch(recordRefusal),
    } satisfies ObjectStore,

    /** Writes and deletes an object. Fails with `refused` if the service lacks permission. */
    async tryWrite(): Promise<void> {
      await writeBelow(store, prefix).catch((error: unknown) => {
        if (isRefusal(error)) throw error;
      });
    },

    /** Rejects if the store can't be written, or does not respond in time. Checks at most once a second. */
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
  throw new StorageFailure("unavailable", "the object store does not respond");
}

const sentenceOf = ({ message }: StorageFailure) =>
  `The object store can't be written, so uploads return 503 and this process is not ready: ${message}`;
