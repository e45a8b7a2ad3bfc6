-- AlterTable
ALTER TABLE "video_uploads" ADD COLUMN     "expected_seconds" DOUBLE PRECISION,
ADD COLUMN     "ran_seconds" DOUBLE PRECISION NOT NULL DEFAULT 0;
