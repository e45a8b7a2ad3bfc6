-- CreateTable
CREATE TABLE "partial_pieces" (
    "upload_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "key" VARCHAR(512) NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "sha256" VARCHAR(64) NOT NULL,

    CONSTRAINT "partial_pieces_pkey" PRIMARY KEY ("upload_id","position")
);

-- AddForeignKey
ALTER TABLE "partial_pieces" ADD CONSTRAINT "partial_pieces_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "partial_uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What has arrived of unfinished uploads comes along.
INSERT INTO partial_pieces (upload_id, position, key, size_bytes, sha256)
SELECT id, n, piece->>'key', (piece->>'sizeBytes')::bigint, piece->>'sha256'
FROM partial_uploads, jsonb_array_elements(pieces) WITH ORDINALITY AS listed (piece, n);

-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "offset_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "piece_count" INTEGER NOT NULL DEFAULT 0;

UPDATE partial_uploads SET offset_bytes = total, piece_count = n
FROM (SELECT upload_id, sum(size_bytes)::bigint AS total, count(*)::int AS n FROM partial_pieces GROUP BY upload_id) AS had
WHERE upload_id = id;

-- AlterTable
ALTER TABLE "partial_uploads" DROP COLUMN "pieces";

-- CreateIndex
CREATE INDEX "partial_uploads_owner_id_idx" ON "partial_uploads"("owner_id");
