-- The users who are not deleted. What reads a name reads it here, so that a user who is deleted looks the same everywhere, also while a
-- job still removes the rest. PostgreSQL reads the table in its stead: the plans are those of the table.
CREATE VIEW people AS SELECT id, display_name, created_at FROM users WHERE deleted_at IS NULL;
