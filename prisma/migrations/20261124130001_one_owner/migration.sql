-- rule: 1.0.0 gives a conversation no second owner: it makes the next owner of a conversation after it has removed the last one.
-- By hand: the lock of the conversation keeps exactly one owner, and this index refuses a second one, whatever the code does.
CREATE UNIQUE INDEX CONCURRENTLY "members_owner_key" ON "members"("conversation_id") WHERE "role" = 'owner';
