-- CreateTable
CREATE TABLE "former_members" (
    "user_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,

    CONSTRAINT "former_members_pkey" PRIMARY KEY ("user_id","conversation_id")
);

-- CreateIndex
CREATE INDEX "former_members_conversation_id_idx" ON "former_members"("conversation_id");

-- AddForeignKey
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversations"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- By hand: the trigger that counts a member out also writes down who it was, whichever version of the service removes the member.
CREATE OR REPLACE FUNCTION count_member_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE conversations SET member_count = member_count - 1, members_version = members_version + 1 WHERE id = OLD.conversation_id;
  -- Not if the conversation itself is being removed.
  IF FOUND THEN
    INSERT INTO former_members (user_id, conversation_id) VALUES (OLD.user_id, OLD.conversation_id) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
