-- The triggers of this migration and the next three served processes of release 1.0.0. Release 1.2.0 needs none of them: `send_messages`
-- turned this one off. A distributed database doesn't have them.
DROP TRIGGER IF EXISTS name_actor_of_message ON "messages";
DROP FUNCTION IF EXISTS name_actor_of_message();
