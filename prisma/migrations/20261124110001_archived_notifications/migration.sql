-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "archived_at" TIMESTAMPTZ(3);
