import { transaction, type Db, type Tx } from "../../database/client.ts";
import { Failure } from "../../failure.ts";
import type { Meter } from "../receive-body.ts";
import { release, reserve, usedBytes, type ReservationKey } from "../store.ts";

/** An upload of unknown length reserves storage in steps of this size. */
const STEP_BYTES = 8 * 1024 * 1024;

export type StorageQuota = ReturnType<typeof createStorageQuota>;

/**
 * The storage quota of each user. An upload reserves storage before its bytes arrive. A lock per user prevents concurrent uploads
 * from exceeding it.
 */
export function createStorageQuota(db: Db, bytesPerUser: number, retainDeletedMs = 0) {
  /** How many more bytes the user can store. Negative after the storage quota was lowered. */
  const freeBytesOf = async (tx: Tx, ownerId: string): Promise<number> => bytesPerUser - (await usedBytes(tx, ownerId));
  /** Throws if the user is over the storage quota now. For the transaction that inserts the row of an upload. */
  const requireFreeQuota = async (tx: Tx, ownerId: string): Promise<void> => {
    if ((await freeBytesOf(tx, ownerId)) < 0) throw exceeded(bytesPerUser, retainDeletedMs);
  };
  /** Reserves storage in the transaction that begins an upload. */
  const reserveBytes = async (tx: Tx, key: ReservationKey, bytes: number): Promise<void> => {
    await reserve(tx, { ...key, bytes });
    await requireFreeQuota(tx, key.ownerId);
  };
  /** Returns a meter that reserves more storage when the received bytes exceed the reservation. */
  const meter = (key: ReservationKey, reserved: number): Meter => {
    const grow = async (bytes: number) => {
      await transaction(db, (tx) => reserveBytes(tx, key, bytes));
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
   * Reserves storage for a plain upload. A retry succeeds even if the user is over the storage quota, because it stores nothing.
   * `close` releases an unused reservation.
   */
  const open = async (key: ReservationKey, contentLength: number | null, isRetry: () => Promise<boolean>) => {
    let isStored = false;
    const unlessAlreadyStored = async (reserveMore: () => Promise<void>): Promise<void> => {
      if (isStored) return;
      try {
        await reserveMore();
      } catch (error) {
        if (!isExceeded(error) || !(await isRetry())) throw error;
        isStored = true;
      }
    };
    const reservedBytes = contentLength ?? 0;
    if (contentLength !== null) await unlessAlreadyStored(() => transaction(db, (tx) => reserveBytes(tx, key, reservedBytes)));
    const more = meter(key, reservedBytes);
    return { meter: (bytes: number) => unlessAlreadyStored(() => more(bytes)), close: () => release(db, key.id) };
  };
  return { freeBytesOf, requireFreeQuota, reserveBytes, meter, open };
}

const isExceeded = (error: unknown) => error instanceof Failure && error.code === "storage_quota_exceeded";

function exceeded(bytesPerUser: number, retainDeletedMs: number): Failure {
  const hours = retainDeletedMs / 3_600_000;
  const later = hours > 0 ? ` What you delete counts for ${hours} more ${hours === 1 ? "hour" : "hours"}.` : "";
  const detail = `Your uploads can use ${bytesPerUser} bytes in total, and this one would exceed that. Delete some first.${later}`;
  return new Failure("storage_quota_exceeded", detail);
}
