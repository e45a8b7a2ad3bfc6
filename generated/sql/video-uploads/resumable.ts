// Generated: do not edit, run `npm run generate`. From src/video-uploads/resumable/store.sql.

import { affectedRows, many, one } from "../../../src/database/statement.ts";

export type FindPartialParameters = {
  readonly id: string;
  readonly ownerId: string;
};
export type FindPartialRow = {
  readonly offsetBytes: number;
  readonly pieceCount: number;
};
/** The numbers of bytes and pieces of an incomplete upload. */
export const findPartial = one<FindPartialParameters, FindPartialRow>({
  name: "find_partial",
  text: `SELECT offset_bytes, piece_count FROM partial_uploads WHERE id = $1 AND owner_id = $2`,
  values: (it) => [it.id, it.ownerId],
  columns: ["int8", "int4"],
  row: (it) => ({ offsetBytes: it[0], pieceCount: it[1] }) as FindPartialRow,
});

export type ClaimPartialParameters = {
  readonly id: string;
  readonly ownerId: string;
  readonly writer: string;
};
export type ClaimPartialRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string | null;
  readonly lengthBytes: number | null;
  readonly offsetBytes: number;
  readonly reportedOffset: number | null;
  readonly pieceCount: number;
  readonly createdAt: string;
  readonly writer: string;
};
/** Gives an incomplete upload to this writer, so that an earlier writer can't add to it. Only this writer can still begin at the reported
 * offset, in the same transaction. */
export const claimPartial = one<ClaimPartialParameters, ClaimPartialRow>({
  name: "claim_partial",
  text: `WITH earlier AS (SELECT id, told_bytes FROM partial_uploads WHERE id = $1 AND owner_id = $2 FOR UPDATE)
UPDATE partial_uploads taken SET writer = $3, told_bytes = NULL FROM earlier WHERE taken.id = earlier.id
RETURNING taken.id, owner_id, name, length_bytes, offset_bytes, earlier.told_bytes AS "reported_offset?", piece_count, created_at,
  writer AS "writer!"`,
  values: (it) => [it.id, it.ownerId, it.writer],
  columns: ["uuid", "uuid", "varchar", "int8", "int8", "int8", "int4", "timestamptz", "uuid"],
  row: (it) => ({ id: it[0], ownerId: it[1], name: it[2], lengthBytes: it[3], offsetBytes: it[4], reportedOffset: it[5], pieceCount: it[6], createdAt: it[7], writer: it[8] }) as ClaimPartialRow,
});

export type ReportOffsetParameters = {
  readonly id: string;
  readonly ownerId: string;
};
export type ReportOffsetRow = {
  readonly offsetBytes: number;
  readonly lengthBytes: number | null;
  readonly createdAt: string;
};
/** An incomplete upload with the offset for a client. The next writer can begin there, even if more bytes have arrived. A retry writes
 * nothing, so that reads leave no trace in the write-ahead log. */
export const reportOffset = one<ReportOffsetParameters, ReportOffsetRow>({
  name: "report_offset",
  text: `WITH reported AS (
  UPDATE partial_uploads SET told_bytes = offset_bytes
  WHERE id = $1 AND owner_id = $2 AND told_bytes IS DISTINCT FROM offset_bytes
  RETURNING offset_bytes, length_bytes, created_at)
SELECT offset_bytes AS "offset_bytes!", length_bytes AS "length_bytes?", created_at AS "created_at!" FROM reported
UNION ALL SELECT offset_bytes, length_bytes, created_at FROM partial_uploads WHERE id = $1 AND owner_id = $2 AND NOT EXISTS (SELECT FROM reported)`,
  values: (it) => [it.id, it.ownerId],
  columns: ["int8", "int8", "timestamptz"],
  row: (it) => ({ offsetBytes: it[0], lengthBytes: it[1], createdAt: it[2] }) as ReportOffsetRow,
});

export type RecordLengthParameters = {
  readonly lengthBytes: number;
  readonly id: string;
  readonly writer: string;
};
export const recordLength = affectedRows<RecordLengthParameters>({
  name: "record_length",
  text: `UPDATE partial_uploads SET length_bytes = $1 WHERE id = $2 AND writer = $3`,
  values: (it) => [it.lengthBytes, it.id, it.writer],
});

export type ConfirmBytesParameters = {
  readonly id: string;
  readonly writer: string;
};
/** Confirms all bytes, so that no writer can begin before them. 0 if another writer has the upload. */
export const confirmBytes = affectedRows<ConfirmBytesParameters>({
  name: "confirm_bytes",
  text: `UPDATE partial_uploads SET told_bytes = NULL WHERE id = $1 AND writer = $2`,
  values: (it) => [it.id, it.writer],
});

export type AddPieceParameters = {
  readonly sizeBytes: number;
  readonly newPieces: number;
  readonly id: string;
  readonly writer: string;
  readonly key: string;
  readonly sha256: string;
};
/** Adds a piece at the end, at a constant cost, or bytes to the object of the last piece. 0 if another writer has the upload. */
export const addPiece = affectedRows<AddPieceParameters>({
  name: "add_piece",
  text: `WITH taken AS (
  UPDATE partial_uploads SET offset_bytes = offset_bytes + $1::bigint, piece_count = piece_count + $2::int
  WHERE id = $3 AND writer = $4 RETURNING id, piece_count)
INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
SELECT id, piece_count, $5, $1, $6 FROM taken
ON CONFLICT (upload_id, position) DO UPDATE
  SET size_bytes = partial_pieces.size_bytes + excluded.size_bytes, sha256 = excluded.sha256
  WHERE partial_pieces.key = excluded.key`,
  values: (it) => [it.sizeBytes, it.newPieces, it.id, it.writer, it.key, it.sha256],
});

export type FindPiecesParameters = {
  readonly id: string;
};
export type FindPiecesRow = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};
/** All pieces of an upload, in order. */
export const findPieces = many<FindPiecesParameters, FindPiecesRow>({
  name: "find_pieces",
  text: `SELECT key, size_bytes, sha256 FROM partial_pieces WHERE upload_id = $1 ORDER BY position`,
  values: (it) => [it.id],
  columns: ["varchar", "int8", "varchar"],
  row: (it) => ({ key: it[0], sizeBytes: it[1], sha256: it[2] }) as FindPiecesRow,
});

export type TruncatePiecesParameters = {
  readonly offsetBytes: number;
  readonly id: string;
  readonly writer: string;
};
export type TruncatePiecesRow = {
  readonly pieceCount: number;
  readonly unneededKeys: readonly string[];
};
/** Truncates an upload to its first :offset_bytes, or to the offset that a client was told since. Returns the number of pieces that remain,
 * and the keys of the objects that are no longer needed. No row if another writer has the upload. */
export const truncatePieces = one<TruncatePiecesParameters, TruncatePiecesRow>({
  name: "truncate_pieces",
  text: `WITH kept AS (
  SELECT id, greatest($1::bigint, told_bytes) AS bytes FROM partial_uploads WHERE id = $2 AND writer = $3 FOR UPDATE),
piece AS (
  SELECT position, sum(size_bytes) OVER (ORDER BY position) - size_bytes AS first_byte FROM partial_pieces WHERE upload_id = $2),
remaining AS (
  UPDATE partial_uploads
  SET offset_bytes = kept.bytes, piece_count = (SELECT count(*) FROM piece WHERE first_byte < kept.bytes)
  FROM kept WHERE partial_uploads.id = kept.id RETURNING partial_uploads.id, piece_count, kept.bytes),
shortened AS (
  UPDATE partial_pieces last SET size_bytes = least(size_bytes, remaining.bytes - first_byte)
  FROM remaining JOIN piece ON position = piece_count WHERE upload_id = remaining.id AND last.position = piece_count),
removed AS (
  DELETE FROM partial_pieces USING remaining WHERE upload_id = remaining.id AND position > piece_count RETURNING key)
SELECT piece_count, array(SELECT key FROM removed) AS "unneeded_keys!" FROM remaining`,
  values: (it) => [it.offsetBytes, it.id, it.writer],
  columns: ["int4", "_varchar"],
  row: (it) => ({ pieceCount: it[0], unneededKeys: it[1] }) as TruncatePiecesRow,
});

export type RemovePartialParameters = {
  readonly id: string;
  readonly ownerId: string | null;
  readonly writer: string | null;
};
export type RemovePartialRow = {
  readonly ownerId: string;
  readonly sizeBytes: number;
};
/** Removes the row of an upload, if this owner or this writer has it, and returns its owner and size. */
export const removePartial = one<RemovePartialParameters, RemovePartialRow>({
  name: "remove_partial",
  text: `DELETE FROM partial_uploads WHERE id = $1 AND (owner_id = $2 OR writer = $3)
RETURNING owner_id, offset_bytes AS size_bytes`,
  values: (it) => [it.id, it.ownerId, it.writer],
  columns: ["uuid", "int8"],
  row: (it) => ({ ownerId: it[0], sizeBytes: it[1] }) as RemovePartialRow,
});

export type RemoveExpiredParameters = {
  readonly ageSeconds: number;
  readonly limit: number;
};
export type RemoveExpiredRow = {
  readonly id: string;
  readonly ownerId: string;
  readonly sizeBytes: number;
};
/** Removes some of the uploads that were not completed in time, and returns their owners and sizes. */
export const removeExpired = many<RemoveExpiredParameters, RemoveExpiredRow>({
  name: "remove_expired",
  text: `DELETE FROM partial_uploads WHERE id IN (
  SELECT id FROM partial_uploads WHERE created_at < now() - make_interval(secs => $1) ORDER BY created_at LIMIT $2)
RETURNING id, owner_id, offset_bytes AS size_bytes`,
  values: (it) => [it.ageSeconds, it.limit],
  columns: ["uuid", "uuid", "int8"],
  row: (it) => ({ id: it[0], ownerId: it[1], sizeBytes: it[2] }) as RemoveExpiredRow,
});
