-- AlterTable
ALTER TABLE "short_urls" ADD COLUMN     "expired_url" TEXT;
