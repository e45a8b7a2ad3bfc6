-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "actor_id" UUID,
ADD COLUMN     "purge_from" TIMESTAMPTZ(3);
