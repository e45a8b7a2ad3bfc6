-- Marks the notifications that users have about a conversation as read. Every change of a read position or a membership calls it. So a
-- notification counts no message that its user has read, and none from an earlier membership.
--   message  the message of the notification, which a single reader has locked; empty if there was none. Newer ones stay unread.
--            Null stands for all notifications, under the lock of the conversation
--   unread   the number of messages after the read position, up to `message`. If it is not 0, the notification stays unread
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
