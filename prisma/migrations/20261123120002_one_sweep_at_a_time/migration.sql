-- AlterTable
ALTER TABLE "store_ties" ADD COLUMN     "sweeper" UUID,
ADD COLUMN     "sweeper_until" TIMESTAMPTZ(3);
