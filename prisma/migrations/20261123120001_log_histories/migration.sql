-- CreateTable
CREATE TABLE "log_histories" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "id" CHAR(12) NOT NULL,
    "server" VARCHAR(40) NOT NULL,

    CONSTRAINT "log_histories_pkey" PRIMARY KEY ("is_only")
);
