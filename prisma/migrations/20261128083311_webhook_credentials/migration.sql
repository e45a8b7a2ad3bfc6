-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN "authorized_by" VARCHAR(16);
