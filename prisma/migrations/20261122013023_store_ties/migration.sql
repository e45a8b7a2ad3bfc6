-- CreateTable
CREATE TABLE "store_ties" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "database_id" UUID NOT NULL,
    "made_in" VARCHAR(60) NOT NULL,
    "swept_at" TIMESTAMPTZ(3),
    "problem" VARCHAR(40),
    "stored_count" INTEGER NOT NULL DEFAULT 0,
    "orphan_count" INTEGER NOT NULL DEFAULT 0,
    "approved_count" INTEGER,

    CONSTRAINT "store_ties_pkey" PRIMARY KEY ("is_only")
);

-- CreateTable
CREATE TABLE "orphaned_objects" (
    "key" VARCHAR(512) NOT NULL,
    "reason" VARCHAR(40) NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "orphaned_objects_pkey" PRIMARY KEY ("key")
);
