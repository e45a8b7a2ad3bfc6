-- Release 1.2.0 notifies no member who has muted the conversation, and always writes the actor.
DROP TRIGGER IF EXISTS leave_muted_alone ON "notifications";
DROP FUNCTION IF EXISTS leave_muted_alone();
