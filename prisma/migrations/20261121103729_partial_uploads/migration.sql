-- CreateTable
CREATE TABLE "partial_uploads" (
    "id" UUID NOT NULL,
    "owner_id" UUID NOT NULL,
    "name" VARCHAR(255),
    "length_bytes" BIGINT,
    "pieces" JSONB NOT NULL DEFAULT '[]',
    "writer" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "partial_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "partial_uploads_created_at_idx" ON "partial_uploads"("created_at");

-- AddForeignKey
ALTER TABLE "partial_uploads" ADD CONSTRAINT "partial_uploads_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
