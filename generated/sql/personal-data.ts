// Generated: do not edit, run `npm run generate`. From src/personal-data/store.sql.

import { affectedRows, exactlyOne, many, one } from "../../src/database/statement.ts";

export type MarkUserDeletedParameters = {
  readonly userId: string;
  readonly deletedUserId: string;
};
/** Marks a user as deleted, if there is one. The user then exists for no request. */
export const markUserDeleted = affectedRows<MarkUserDeletedParameters>({
  name: "mark_user_deleted",
  text: `UPDATE users SET deleted_at = least(deleted_at, now()) WHERE id = $1 AND id <> $2`,
  values: (it) => [it.userId, it.deletedUserId],
});

export type FindDeletedUserParameters = {
  readonly userId: string;
};
export type FindDeletedUserRow = {
  readonly id: string;
  readonly displayName: string;
  readonly seconds: number;
};
export const findDeletedUser = one<FindDeletedUserParameters, FindDeletedUserRow>({
  name: "find_deleted_user",
  text: `SELECT id, display_name, extract(epoch FROM now() - deleted_at)::float8 AS "seconds!" FROM users
WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.userId],
  columns: ["uuid", "varchar", "float8"],
  row: (it) => ({ id: it[0], displayName: it[1], seconds: it[2] }) as FindDeletedUserRow,
});

export type FindOverdueUsersParameters = {
  readonly deletedUserId: string;
};
export type FindOverdueUsersRow = {
  readonly id: string;
};
/** Deleted users whose data should have been removed by now, at most one batch. */
export const findOverdueUsers = many<FindOverdueUsersParameters, FindOverdueUsersRow>({
  name: "find_overdue_users",
  text: `SELECT id FROM users WHERE deleted_at < now() - interval '1 day' AND id <> $1 ORDER BY deleted_at LIMIT 100`,
  values: (it) => [it.deletedUserId],
  columns: ["uuid"],
  row: (it) => ({ id: it[0] }) as FindOverdueUsersRow,
});

export type InsertDeletedUserParameters = {
  readonly deletedUserId: string;
  readonly name: string;
};
/** Inserts the owner of rows that outlive their user. */
export const insertDeletedUser = affectedRows<InsertDeletedUserParameters>({
  name: "insert_deleted_user",
  text: `INSERT INTO users (id, display_name, deleted_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`,
  values: (it) => [it.deletedUserId, it.name],
});

export type AskShardsInTurnRow = {
  readonly mode: string;
};
/** Holds until the end of the transaction. On a cluster (Citus), a transaction that has asked several shards at once can't change a
 * reference table. PostgreSQL does not know the setting, and ignores it. */
export const askShardsInTurn = exactlyOne<void, AskShardsInTurnRow>({
  name: "ask_shards_in_turn",
  text: `SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true) AS "mode!"`,
  values: () => [],
  columns: ["text"],
  row: (it) => ({ mode: it[0] }) as AskShardsInTurnRow,
});

export type LockUserParameters = {
  readonly userId: string;
};
export const lockUser = affectedRows<LockUserParameters>({
  name: "lock_user",
  text: `SELECT FROM users WHERE id = $1 FOR UPDATE`,
  values: (it) => [it.userId],
});

export type RemoveUserParameters = {
  readonly userId: string;
};
export const removeUser = affectedRows<RemoveUserParameters>({
  name: "remove_user",
  text: `DELETE FROM users WHERE id = $1 AND deleted_at IS NOT NULL`,
  values: (it) => [it.userId],
});
