-- An edition that no release had also built the indexes of 20261123130001 to 20261123130003. Its checksum is accepted:
-- 71c6801b480a95d6933a71880e0dae1686aefd6fff871bb8bbc6a8e15a6313f4

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);
