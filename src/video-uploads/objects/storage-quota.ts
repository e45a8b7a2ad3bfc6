import { transaction, type Db, type Tx } from "../../database/client.ts";
import { Failure } from "../../failure.ts";
import type { Meter } from "../receive-body.ts";
import { release, reserve, usedBytes, type Claimant } from "../store.ts";

/** The step in which an upload of unknown length reserves storage. */
const STEP_BYTES = 8 * 1024 * 1024;

export type StorageQuota = ReturnType<typeof createStorageQuota>;

/**
 * The storage quota of each user, for uploads and their results. An upload reserves storage before its bytes arrive, and its row
 * replaces the reservation. The database counts both under a lock for each user, so concurrent uploads cannot exceed the quota.
 */
export function createStorageQuota(db: Db, bytesPerUser: number, retainDeletedMs = 0) {
  /** How many more bytes the user can store. Negative after a quota was lowered. */
  const leftOf = async (tx: Tx, ownerId: string): Promise<number> => bytesPerUser - (await usedBytes(tx, ownerId));
  /** Fails the transaction if it takes the user over the quota. For the transaction that inserts the row of an upload. */
  const requireRoom = async (tx: Tx, ownerId: string): Promise<void> => {
    if ((await leftOf(tx, ownerId)) < 0) throw exceeded(bytesPerUser, retainDeletedMs);
  };
  /** Reserves storage in the transaction that begins an upload. */
  const take = async (tx: Tx, claimant: Claimant, bytes: number): Promise<void> => {
    await reserve(tx, { ...claimant, bytes });
    await requireRoom(tx, claimant.ownerId);
  };
  /** Makes a meter that reserves more storage when the bytes received exceed the reservation. */
  const meter = (claimant: Claimant, reserved: number): Meter => {
    const grow = async (bytes: number) => {
      await transaction(db, (tx) => take(tx, claimant, bytes));
      reserved = bytes;
    };
    return async (bytes) => {
      if (bytes <= reserved) return;
      await grow(bytes + STEP_BYTES).catch((error: unknown) => {
        if (!isExceeded(error)) throw error;
        return grow(bytes);
      });
    };
  };
  /**
   * Reserves storage for a plain upload. A retry of a finished request passes even if no storage is left, because it gets the first
   * response and stores nothing. `close` releases the reservation unless a row has replaced it.
   */
  const open = async (claimant: Claimant, announcedBytes: number | null, isRepeated: () => Promise<boolean>) => {
    let isStored = false;
    const unlessAlreadyStored = async (reserveMore: () => Promise<void>): Promise<void> => {
      if (isStored) return;
      try {
        await reserveMore();
      } catch (error) {
        if (!isExceeded(error) || !(await isRepeated())) throw error;
        isStored = true;
      }
    };
    const announced = announcedBytes ?? 0;
    if (announcedBytes !== null) await unlessAlreadyStored(() => transaction(db, (tx) => take(tx, claimant, announced)));
    const more = meter(claimant, announced);
    return { meter: (bytes: number) => unlessAlreadyStored(() => more(bytes)), close: () => release(db, claimant.id) };
  };
  return { leftOf, requireRoom, take, meter, open };
}

const isExceeded = (error: unknown) => error instanceof Failure && error.code === "storage_quota_exceeded";

function exceeded(bytesPerUser: number, retainDeletedMs: number): Failure {
  const keptHours = retainDeletedMs / 3_600_000;
  const later = keptHours > 0 ? ` What you delete counts for ${keptHours} more ${keptHours === 1 ? "hour" : "hours"}.` : "";
  const detail = `Your uploads can use ${bytesPerUser} bytes in total, and this one would exceed that. Delete some first.${later}`;
  return new Failure("storage_quota_exceeded", detail);
}
