import { transaction, type Db, type Tx } from "../database/client.ts";
import { Failure } from "../failure.ts";
import type { Meter } from "./receive-body.ts";
import { release, reserve, usedBytes, type Claimant } from "./store.ts";

/** An upload of unknown length reserves storage in steps. */
const STEP_BYTES = 8 * 1024 * 1024;

export type StorageQuota = ReturnType<typeof createStorageQuota>;

/**
 * What one user may store. An upload reserves its storage before its bytes come, and its row takes that over; both are
 * counted in the database under a lock for each user, so concurrent uploads cannot exceed it.
 */
export function createStorageQuota(db: Db, bytesPerUser: number) {
  /** Fails a transaction after which the user would store too much. */
  const requireRoom = async (tx: Tx, ownerId: string): Promise<void> => {
    if ((await usedBytes(tx, ownerId)) > bytesPerUser)
      throw new Failure(
        "storage_quota_exceeded",
        `Your uploads can use ${bytesPerUser} bytes in total, and this one would exceed that. Delete some first.`,
      );
  };
  const take = async (tx: Tx, claimant: Claimant, bytes: number): Promise<void> => {
    await reserve(tx, claimant, bytes);
    await requireRoom(tx, claimant.ownerId);
  };
  const isRefusal = (error: unknown) => error instanceof Failure && error.code === "storage_quota_exceeded";

  /** A function that is called with how many bytes of an upload there are, and reserves more when that is needed. */
  const meter = (claimant: Claimant, reservedBytes: number): Meter => {
    let reserved = reservedBytes;
    const grow = async (bytes: number) => {
      await transaction(db, (tx) => take(tx, claimant, bytes));
      reserved = bytes;
    };
    return async (bytes) => {
      if (bytes <= reserved) return;
      try {
        await grow(bytes + STEP_BYTES);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        await grow(bytes);
      }
    };
  };

  return {
    /** For the transaction in which an upload becomes a row. */
    requireRoom,

    /** Reserves storage for an upload in the transaction in which it begins. */
    take,

    meter,

    /**
     * Reserves storage for a plain upload. Without any left, a retry of a finished request is let through all the same: it
     * gets the first answer, and stores nothing. `close` releases what no row has taken over.
     */
    async open(claimant: Claimant, announcedBytes: number | null, isRepeated: () => Promise<boolean>) {
      let isFree = false;
      const orFree = async (takeRoom: () => Promise<void>): Promise<void> => {
        if (isFree) return;
        try {
          await takeRoom();
        } catch (error) {
          if (!isRefusal(error) || !(await isRepeated())) throw error;
          isFree = true;
        }
      };
      if (announcedBytes !== null) await orFree(() => transaction(db, (tx) => take(tx, claimant, announcedBytes)));
      const more = meter(claimant, announcedBytes ?? 0);
      return { meter: (bytes: number) => orFree(() => more(bytes)), close: () => release(db, claimant.id) };
    },
  };
}
