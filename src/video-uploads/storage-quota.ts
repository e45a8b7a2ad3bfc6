import { transaction, type Db, type Tx } from "../database/client.ts";
import { Failure } from "../failure.ts";
import type { Meter } from "./receive-body.ts";
import { release, reserve, usedBytes, type Claimant } from "./store.ts";

/** The step in which an upload of unknown length reserves storage. */
const STEP_BYTES = 8 * 1024 * 1024;

export type StorageQuota = ReturnType<typeof createStorageQuota>;

/**
 * The storage quota of each user, for uploads and their results. An upload reserves storage before its bytes arrive, and its row
 * replaces the reservation. The database counts both under a lock for each user, so concurrent uploads cannot exceed the quota.
 */
export function createStorageQuota(db: Db, bytesPerUser: number, keepDeletedMs = 0) {
  const keptHours = keepDeletedMs / 3_600_000;
  const later = keptHours > 0 ? ` What you delete counts for ${keptHours} more ${keptHours === 1 ? "hour" : "hours"}.` : "";
  /** Fails the transaction if it takes the user over the quota. */
  const requireRoom = async (tx: Tx, ownerId: string): Promise<void> => {
    if ((await usedBytes(tx, ownerId)) > bytesPerUser)
      throw new Failure(
        "storage_quota_exceeded",
        `Your uploads can use ${bytesPerUser} bytes in total, and this one would exceed that. Delete some first.${later}`,
      );
  };
  /** How many more bytes the user can store. Negative after a quota was lowered. */
  const leftOf = async (tx: Tx, ownerId: string): Promise<number> => bytesPerUser - (await usedBytes(tx, ownerId));
  const take = async (tx: Tx, claimant: Claimant, bytes: number): Promise<void> => {
    await reserve(tx, claimant, bytes);
    await requireRoom(tx, claimant.ownerId);
  };
  const isRefusal = (error: unknown) => error instanceof Failure && error.code === "storage_quota_exceeded";

  /** Makes a meter that reserves more storage when the bytes received exceed the reservation. */
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
    /** For the transaction that inserts the row of an upload. */
    requireRoom,

    leftOf,

    /** Reserves storage in the transaction that begins an upload. */
    take,

    meter,

    /**
     * Reserves storage for a plain upload. A retry of a finished request passes even if no storage is left, because it gets
     * the first response and stores nothing. `close` releases the reservation unless a row has replaced it.
     */
    async open(claimant: Claimant, announcedBytes: number | null, isRepeated: () => Promise<boolean>) {
      let isFree = false;
      const unlessAlreadyStored = async (takeRoom: () => Promise<void>): Promise<void> => {
        if (isFree) return;
        try {
          await takeRoom();
        } catch (error) {
          if (!isRefusal(error) || !(await isRepeated())) throw error;
          isFree = true;
        }
      };
      if (announcedBytes !== null) await unlessAlreadyStored(() => transaction(db, (tx) => take(tx, claimant, announcedBytes)));
      const more = meter(claimant, announcedBytes ?? 0);
      return { meter: (bytes: number) => unlessAlreadyStored(() => more(bytes)), close: () => release(db, claimant.id) };
    },
  };
}
