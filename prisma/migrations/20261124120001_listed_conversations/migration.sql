-- CreateTable
CREATE TABLE "listed_conversations" (
    "user_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "conversation_created_at" TIMESTAMPTZ(3) NOT NULL,
    "active_hour" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "listed_conversations_pkey" PRIMARY KEY ("user_id","conversation_id")
);

-- CreateIndex
CREATE INDEX "listed_conversations_user_id_conversation_created_at_conver_idx" ON "listed_conversations"("user_id", "conversation_created_at" DESC, "conversation_id" DESC);

-- CreateIndex
CREATE INDEX "listed_conversations_user_id_active_hour_conversation_id_idx" ON "listed_conversations"("user_id", "active_hour" DESC, "conversation_id" DESC);

-- AddForeignKey
ALTER TABLE "listed_conversations" ADD CONSTRAINT "listed_conversations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
