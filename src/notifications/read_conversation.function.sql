-- Marks what users have of a conversation in their notifications as read. Everything that changes what a member has read, or who is a
-- member, comes through here, so that a notification counts no message that its user has read, and none from an earlier membership.
--   message  the message that the notification of a single reader was locked with, empty if there was none: a newer one stays unread;
--            null for all that is there, under the lock of the conversation
--   unread   how many messages at most are after the read position, up to that message: if there are any, it stays unread
CREATE OR REPLACE FUNCTION read_conversation(readers uuid[], conversation text, message text DEFAULT NULL, unread int DEFAULT 0)
RETURNS void LANGUAGE plpgsql AS $$
-- Edition 1
BEGIN
  IF unread > 0 THEN
    UPDATE notifications SET event_count = unread
      WHERE user_id = ANY (readers) AND subject_id = conversation AND kind = 'message.created' AND read_at IS NULL
        AND resource_id = message AND event_count > unread;
  END IF;
  UPDATE notifications SET read_at = greatest(now(), updated_at), archived_at = NULL
    WHERE user_id = ANY (readers) AND subject_id = conversation AND read_at IS NULL
      AND (kind = 'conversation.member_added' OR unread = 0 AND (message IS NULL OR resource_id = message));
END $$;
