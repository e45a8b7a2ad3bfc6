-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "action" VARCHAR(40) NOT NULL,
    "user_id" UUID,
    "details" JSONB NOT NULL,
    "operator" VARCHAR(100) NOT NULL,
    "host" VARCHAR(255) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL DEFAULT (now() + interval '365 days'),

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entries_user_id_idx" ON "audit_entries"("user_id");

-- CreateIndex
CREATE INDEX "audit_entries_expires_at_idx" ON "audit_entries"("expires_at");
