import { checkJobs, checkMessages, checkNotices, checkWrites, type Violation } from "./check.ts";
import type { Load } from "./clients.ts";
import type { JobRow, MessageRow, Notice, Row } from "./history.ts";
import type { OwnPostgres } from "./postgres.ts";

/** Compares everything that the clients have seen with what PostgreSQL has stored in the end. */
export async function violationsIn(postgres: OwnPostgres, { recorder, cast }: Load): Promise<Violation[]> {
  const rows = async <T>(text: string) => (await postgres.run(text)) as unknown as readonly T[];
  const posts = await rows<Row>("SELECT id, title AS mark FROM posts");
  const urls = await rows<Row>("SELECT id, substr(target_url, length('https://www.example.com/') + 1) AS mark FROM short_urls");
  const messages = await rows<MessageRow & { readonly list: string }>(
    `SELECT id, body AS mark, conversation_id AS list, sequence, sender_id AS "senderId" FROM messages`,
  );
  const jobs = await rows<JobRow>("SELECT id, name AS mark, status FROM video_uploads");
  const notices = await rows<Notice>(
    `SELECT user_id AS "userId", kind, subject_id AS subject, resource_id AS resource, event_count AS count,
       read_at IS NOT NULL AS "isRead" FROM notifications`,
  );
  const members = cast.users.map(({ userId }) => ({ userId, marksAsRead: userId === cast.marker.userId }));
  const known = new Set(cast.conversations.map((it) => it.id));
  return [
    ...checkWrites(recorder.writes.post, posts),
    ...checkWrites(recorder.writes.url, urls),
    ...checkWrites(
      [],
      messages.filter((it) => !known.has(it.list)),
    ),
    ...cast.conversations.flatMap(({ id }) => {
      const list = messages.filter((it) => it.list === id);
      return [
        ...checkMessages(recorder.messages.get(id)!, list, recorder.reads.get(id)!),
        ...checkNotices(id, list, notices, members),
      ];
    }),
    ...checkJobs(
      recorder.writes.upload,
      jobs,
      recorder.observations,
      notices.filter((it) => it.kind.startsWith("video_upload.")),
    ),
  ];
}
