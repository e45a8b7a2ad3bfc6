// Generated: do not edit, run `npm run generate`. From src/notifications/erasure-store.sql.

import { affectedRows } from "../../../src/database/statement.ts";

export type EraseFromNotificationsParameters = {
  readonly nobody: string;
  readonly text: string;
  readonly name: string;
  readonly nameOfNobody: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly batch: number;
};
/** Removes the name and the words of a user from some of the notifications about a conversation. One that a process of 1.0.0 has
 * written can have another actor or none, so its message tells, too. */
export const eraseFromNotifications = affectedRows<EraseFromNotificationsParameters>({
  name: "erase_from_notifications",
  text: `UPDATE notifications SET actor_id = $1, body = CASE WHEN body IS NOT NULL THEN $2 END,
  title = CASE WHEN starts_with(title, $3::text || ' ')
    THEN left($4::text || substr(title, length($3) + 1), 200)
    ELSE $4 || CASE kind WHEN 'message.created' THEN ' wrote to you' ELSE ' added you to a conversation' END END
WHERE id IN (
  SELECT n.id FROM notifications n WHERE n.subject_id = $5 AND (
    n.actor_id = $6 OR n.body <> $2 AND EXISTS (
      SELECT FROM messages m
      WHERE m.id = CASE n.kind WHEN 'message.created' THEN n.resource_id::uuid END AND m.sender_id = $6))
  LIMIT $7)`,
  values: (it) => [it.nobody, it.text, it.name, it.nameOfNobody, it.conversationId, it.userId, it.batch],
});
