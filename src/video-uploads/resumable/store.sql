-- name: findPartial :one
-- The numbers of bytes and pieces of an incomplete upload.
SELECT offset_bytes, piece_count FROM partial_uploads WHERE id = :id AND owner_id = :owner_id;

-- name: claimPartial :one
-- Gives an incomplete upload to this writer, so that an earlier writer can't add to it. Only this writer can still begin at the reported
-- offset, in the same transaction.
WITH earlier AS (SELECT id, told_bytes FROM partial_uploads WHERE id = :id AND owner_id = :owner_id FOR UPDATE)
UPDATE partial_uploads taken SET writer = :writer, told_bytes = NULL FROM earlier WHERE taken.id = earlier.id
RETURNING taken.id, owner_id, name, length_bytes, offset_bytes, earlier.told_bytes AS "reported_offset?", piece_count, created_at,
  writer AS "writer!";

-- name: reportOffset :one
-- An incomplete upload with the offset for a client. The next writer can begin there, even if more bytes have arrived. A retry writes
-- nothing, so that reads leave no trace in the write-ahead log.
WITH reported AS (
  UPDATE partial_uploads SET told_bytes = offset_bytes
  WHERE id = :id AND owner_id = :owner_id AND told_bytes IS DISTINCT FROM offset_bytes
  RETURNING offset_bytes, length_bytes, created_at)
SELECT offset_bytes AS "offset_bytes!", length_bytes AS "length_bytes?", created_at AS "created_at!" FROM reported
UNION ALL SELECT offset_bytes, length_bytes, created_at FROM partial_uploads WHERE id = :id AND owner_id = :owner_id AND NOT EXISTS (SELECT FROM reported);

-- name: recordLength :execrows
UPDATE partial_uploads SET length_bytes = :length_bytes WHERE id = :id AND writer = :writer;

-- name: confirmBytes :execrows
-- Confirms all bytes, so that no writer can begin before them. 0 if another writer has the upload.
UPDATE partial_uploads SET told_bytes = NULL WHERE id = :id AND writer = :writer;

-- name: addPiece :execrows
-- Adds a piece at the end, at a constant cost, or bytes to the object of the last piece. 0 if another writer has the upload.
WITH taken AS (
  UPDATE partial_uploads SET offset_bytes = offset_bytes + :size_bytes::bigint, piece_count = piece_count + :new_pieces::int
  WHERE id = :id AND writer = :writer RETURNING id, piece_count)
INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
SELECT id, piece_count, :key, :size_bytes, :sha256 FROM taken
ON CONFLICT (upload_id, position) DO UPDATE
  SET size_bytes = partial_pieces.size_bytes + excluded.size_bytes, sha256 = excluded.sha256
  WHERE partial_pieces.key = excluded.key;

-- name: findPieces :many
-- All pieces of an upload, in order.
SELECT key, size_bytes, sha256 FROM partial_pieces WHERE upload_id = :id ORDER BY position;

-- name: truncatePieces :one
-- Truncates an upload to its first :offset_bytes, or to the offset that a client was told since. Returns the number of pieces that remain,
-- and the keys of the objects that are no longer needed. No row if another writer has the upload.
WITH kept AS (
  SELECT id, greatest(:offset_bytes::bigint, told_bytes) AS bytes FROM partial_uploads WHERE id = :id AND writer = :writer FOR UPDATE),
piece AS (
  SELECT position, sum(size_bytes) OVER (ORDER BY position) - size_bytes AS first_byte FROM partial_pieces WHERE upload_id = :id),
remaining AS (
  UPDATE partial_uploads
  SET offset_bytes = kept.bytes, piece_count = (SELECT count(*) FROM piece WHERE first_byte < kept.bytes)
  FROM kept WHERE partial_uploads.id = kept.id RETURNING partial_uploads.id, piece_count, kept.bytes),
shortened AS (
  UPDATE partial_pieces last SET size_bytes = least(size_bytes, remaining.bytes - first_byte)
  FROM remaining JOIN piece ON position = piece_count WHERE upload_id = remaining.id AND last.position = piece_count),
removed AS (
  DELETE FROM partial_pieces USING remaining WHERE upload_id = remaining.id AND position > piece_count RETURNING key)
SELECT piece_count, array(SELECT key FROM removed) AS "unneeded_keys!" FROM remaining;

-- name: removePartial :one
-- Removes the row of an upload, if this owner or this writer has it, and returns its owner and size.
DELETE FROM partial_uploads WHERE id = :id AND (owner_id = :owner_id? OR writer = :writer?)
RETURNING owner_id, offset_bytes AS size_bytes;

-- name: removeExpired :many
-- Removes some of the uploads that were not completed in time, and returns their owners and sizes.
DELETE FROM partial_uploads WHERE id IN (
  SELECT id FROM partial_uploads WHERE created_at < now() - make_interval(secs => :age_seconds) ORDER BY created_at LIMIT :limit)
RETURNING id, owner_id, offset_bytes AS size_bytes;
