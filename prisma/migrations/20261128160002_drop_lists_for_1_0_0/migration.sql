-- Release 1.2.0 writes the lists of conversations itself.
DROP TRIGGER IF EXISTS list_member_in ON "members";
DROP TRIGGER IF EXISTS list_member_out ON "members";
DROP FUNCTION IF EXISTS list_member_in();
DROP FUNCTION IF EXISTS list_member_out();
