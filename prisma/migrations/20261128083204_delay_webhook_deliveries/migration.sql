-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "delayed_until" TIMESTAMPTZ(3),
ADD COLUMN     "ignores_pause" BOOLEAN NOT NULL DEFAULT false;
