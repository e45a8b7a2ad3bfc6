import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scopes } from "#generated/operations.ts";
import { migrateDatabase } from "../../../src/jobs/migrate-database.ts";
import { administer, withDatabase } from "../../support/database.ts";
import { resultWith } from "../../support/videos.ts";
import { connect, idOf } from "../fixture.ts";
import { OURS, startSubject, SUBJECTS } from "../subjects.ts";

/** Databases of different sizes: the same distribution, with as many rows in each table as the size says. */

/** The owner of half of the posts, short URLs and videos, of nearly all notifications, and a member of all conversations. */
export const HEAVY = 1;
/** The owner of one row of each kind. */
export const RARE = 3;
/** The members of the largest conversation, which has all messages of the fixture. */
const MEMBERS_OF_LARGEST = 99;

export type Data = {
  readonly rows: number;
  readonly messages: number;
  readonly databaseUrl: string;
  /** Rows are a second apart, and the last one is a minute old. */
  readonly instantOf: (n: number) => number;
};

const SECRET = "A".repeat(43);
/** Each user has one API key. */
export const keyOf = (user: number) => `plumb_${String(user).padStart(12, "0")}_${SECRET}`;

/** How many conversations there are. The last one is the largest. */
export const conversationsOf = ({ rows }: Pick<Data, "rows">) => rows / 4;
/** The user who is member `place` (1 to 3) of a conversation, beside the heavy one. */
export const memberOf = ({ rows }: Pick<Data, "rows">, conversation: number, place: number) =>
  100 + ((((conversation - 1) * 4 + place) * 31) % (rows - 200));
/** A user who is in no conversation. */
export const newcomerOf = ({ rows }: Pick<Data, "rows">) => rows;
/** The finished video whose files exist. */
export const videoOf = ({ rows }: Pick<Data, "rows">) => rows;

const RENDITION = Buffer.alloc(64 * 1024, "a frame ");
const fileOf = (video: string, name: string) => ({
  objectKey: `video-uploads/${video}/1/${name}`,
  contentType: name.endsWith("mp4") ? "video/mp4" : "image/jpeg",
  width: 2,
  height: 2,
  sizeBytes: RENDITION.length,
  sha256: createHash("sha256").update(RENDITION).digest("hex"),
});
const resultOf = (video: string) => resultWith(fileOf(video, "poster.jpg"), fileOf(video, "480p.mp4"));

/** Writes the files of the finished video into the object store of a service that is not running. */
export async function writeFiles(data: Data, dataDir: string): Promise<void> {
  for (const name of ["poster.jpg", "480p.mp4"]) {
    const path = join(dataDir, "objects/objects", fileOf(idOf(videoOf(data)), name).objectKey);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, RENDITION);
  }
}

function statements({ rows, messages, instantOf }: Data): readonly string[] {
  const conversations = rows / 4;
  const each = `generate_series(1, ${rows}) AS n`;
  const half = "CASE WHEN n % 2 = 0 THEN id_of(1) ELSE id_of(n) END";
  const life = "CASE WHEN n % 10 = 0 THEN interval '-1 hour' ELSE interval '1 day' END";
  const startMs = instantOf(0);
  return [
    `CREATE OR REPLACE FUNCTION id_of(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
       SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$`,
    `CREATE OR REPLACE FUNCTION instant_of(n bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
       SELECT to_timestamp((${startMs} + n * 1000) / 1000.0) $$`,
    `INSERT INTO users (id, display_name, issuer, subject)
     SELECT id_of(n), 'User ' || n, 'https://id.example', 'user-' || n FROM ${each}`,
    `INSERT INTO api_keys (id, user_id, secret_hash, scopes)
     SELECT lpad(n::text, 12, '0'), id_of(n), sha256('${SECRET}'), '{${scopes.join(",")}}' FROM ${each}`,
    `INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
     SELECT id_of(n), ${half}, 'How we re-hung door ' || n, 'The left door had sagged by four centimetres.',
       instant_of(n), instant_of(n) FROM ${each}`,
    // Of the heavy owner, the newer half is deleted.
    `INSERT INTO short_urls (id, owner_id, target_url, deleted_at, created_at)
     SELECT 'grow-' || n, ${half}, 'https://www.example.com/slates/order/' || n,
       CASE WHEN n % 2 = 0 AND n > ${rows / 2} THEN now() END, instant_of(n) FROM ${each}`,
    // The newer ones wait, except the one whose files exist.
    `INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256, status, percent, attempt, result, created_at)
     SELECT id_of(n), ${half}, 'video-uploads/' || id_of(n) || '/original', 1, repeat('0', 64),
       CASE WHEN n <= 4 THEN 'failed' WHEN n BETWEEN ${rows * 0.8} AND ${rows - 1} THEN 'queued' ELSE 'succeeded' END, 0, 1,
       CASE WHEN n > 4 AND NOT n BETWEEN ${rows * 0.8} AND ${rows - 1} THEN replace('${JSON.stringify(resultOf("ID"))}', 'ID', id_of(n)::text)::jsonb END, instant_of(n)
     FROM ${each}`,
    `INSERT INTO storage_usage (user_id, size_bytes) SELECT owner_id, sum(size_bytes) FROM video_uploads GROUP BY 1`,
    `INSERT INTO partial_uploads (id, owner_id, created_at) SELECT id_of(n), id_of(n), now() FROM ${each}`,
    `INSERT INTO upload_reservations (id, owner_id, partial_id, size_bytes) SELECT id_of(n), id_of(n), id_of(n), 0 FROM ${each}`,
    `INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body, expires_at)
     SELECT ${half}, 'createPost', 'key-' || n, '\\x00', 201, '{}', 'null', now() + ${life} FROM ${each}`,
    `INSERT INTO rate_limits (key, points, expire)
     SELECT 'writes:' || id_of(n), 1, extract(epoch FROM now() + ${life}) * 1000 FROM ${each}`,
    // Three quarters are unread. Only the oldest four have the kind `video_upload.failed`.
    `INSERT INTO notifications
       (id, user_id, kind, title, resource_type, resource_id, resource_href, subject_id, created_at, updated_at, read_at)
     SELECT id_of(n), CASE n WHEN 1 THEN id_of(3) ELSE id_of(1) END,
       CASE WHEN n <= 4 THEN 'video_upload.failed' ELSE 'conversation.member_added' END, 'User 9 added you to Boathouse ' || n,
       'conversation', id_of(n), '/conversations/' || id_of(n), id_of(n)::text, instant_of(n), instant_of(n),
       CASE WHEN n % 4 = 0 THEN instant_of(n) END FROM ${each}`,
    `INSERT INTO conversations (id, created_by, last_sequence, last_message_at, member_count, created_at)
     SELECT id_of(n), id_of(1), CASE n WHEN ${conversations} THEN ${messages} ELSE 0 END, CASE n WHEN ${conversations} THEN now() END,
       CASE n WHEN ${conversations} THEN ${MEMBERS_OF_LARGEST} ELSE 4 END, instant_of(n)
     FROM generate_series(1, ${conversations}) AS n`,
    `INSERT INTO members (conversation_id, user_id, role, joined_at, conversation_created_at)
     SELECT id_of(n / 4 + 1), CASE n % 4 WHEN 0 THEN id_of(1) ELSE id_of(100 + (n * 31) % ${rows - 200}) END,
       CASE n % 4 WHEN 0 THEN 'owner' ELSE 'member' END, instant_of(n), instant_of(n / 4 + 1)
     FROM generate_series(0, ${rows - 1}) AS n`,
    `INSERT INTO members (conversation_id, user_id, role, joined_at, conversation_created_at)
     SELECT id_of(${conversations}), id_of(${rows} - n), 'member', instant_of(${rows} + n), instant_of(${conversations})
     FROM generate_series(5, ${MEMBERS_OF_LARGEST}) AS n`,
    `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
     SELECT id_of(n), id_of(${conversations}), n, id_of(1), 'The slates come on Thursday, and they are number ' || n, 'old-key-' || n,
       instant_of(n::bigint * ${rows} / ${messages}) FROM generate_series(1, ${messages}) AS n`,
    `INSERT INTO pgboss.job (id, name, state, data, completed_on)
     SELECT id_of(n), 'video-uploads', 'completed', jsonb_build_object('videoUploadId', id_of(n)), now() FROM ${each}`,
  ];
}

/** Creates a database for each size, the largest with more messages if they are given. */
export async function createData(
  serverUrl: string,
  sizes: readonly number[],
  messagesMax: number | null,
  log: (line: string) => void,
): Promise<readonly Data[]> {
  const template = "growth_template";
  await administer(serverUrl, `CREATE DATABASE ${template}`, `ALTER DATABASE ${template} SET timezone = 'UTC'`);
  const templateUrl = withDatabase(serverUrl, template);
  await migrateDatabase(templateUrl);
  // The first start creates the tables of the job queue.
  await startSubject(
    SUBJECTS.find((it) => it.name === OURS)!,
    templateUrl,
  ).then((it) => it.stop());
  const all: Data[] = [];
  for (const rows of sizes) {
    const name = `growth_${rows}`;
    await administer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`, `ALTER DATABASE ${name} SET timezone = 'UTC'`);
    const startMs = Date.now() - rows * 1_000 - 60_000;
    const messages = rows === sizes.at(-1) ? (messagesMax ?? rows) : rows;
    const data = { rows, messages, databaseUrl: withDatabase(serverUrl, name), instantOf: (n: number) => startMs + n * 1_000 };
    const beganMs = performance.now();
    await fill(data);
    log(`${rows} rows in each table: ${((performance.now() - beganMs) / 1_000).toFixed(0)} s`);
    all.push(data);
  }
  return all;
}

/** Without triggers and foreign keys, and with indexes built at the end, a million rows take a minute. */
async function fill(data: Data): Promise<void> {
  await using client = await connect(data.databaseUrl);
  await client.run("SET session_replication_role = replica");
  await client.run("SET maintenance_work_mem = '256MB'");
  const indexes = await client.run(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`);
  for (const { name } of indexes) await client.run(`DROP INDEX ${String(name)}`);
  for (const statement of statements(data)) await client.run(statement);
  for (const { definition } of indexes) await client.run(String(definition));
  await client.run("VACUUM (FREEZE, ANALYZE)");
}
