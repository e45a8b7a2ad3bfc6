-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "told_bytes" BIGINT;
