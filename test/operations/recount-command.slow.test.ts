import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { openConversation } from "../support/conversations.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { createClient, type Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { plumblineJson } from "../support/processes.ts";
import { startTestService } from "../support/service.ts";
import { finding } from "./support/doctor.ts";

/** In an order that foreign keys allow, as a dump of the data has them. */
const TABLES = ["users", "api_keys", "conversations", "members", "storage_usage", "video_uploads"];
const MANY = 2_500;

/** Copies the rows of all tables into a migrated database, whose triggers then count again what the rows have counted already. */
async function restoreData(fromUrl: string, toUrl: string): Promise<void> {
  await using from = await openSession(fromUrl);
  await using to = await openSession(toUrl);
  for (const table of TABLES) {
    const { rows } = await from.query<{ all: unknown }>(`SELECT json_agg(t) AS all FROM ${table} t`);
    await to.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json)`, [
      JSON.stringify(rows[0]!.all),
    ]);
  }
}

it("finds counts that a restore of the data alone has falsified, and corrects them while requests change them", async () => {
  await using source = await startTestService({ ROLE: "api" });
  const [ada, bob] = [await source.as(), await source.as()];
  const conversation = await openConversation(ada, [bob]);
  for (let n = 0; n < 3; n++) await ada("POST", "/video-uploads", randomBytes(1_000));
  await source.db
    .$executeRaw`INSERT INTO conversations (id, created_by) SELECT gen_random_uuid(), ${ada.userId}::uuid FROM generate_series(1, ${MANY})`;
  await source.db
    .$executeRaw`INSERT INTO members (conversation_id, user_id, role) SELECT id, created_by, 'owner' FROM conversations WHERE member_count = 0`;

  const database = await createTestDatabase();
  await restoreData(source.databaseUrl, database.url);
  await using restored = await startTestService({ ROLE: "api" }, database);
  const [reader, member] = [ada, bob].map(({ userId, userName: name, authorization }) =>
    createClient(restored.url, { userId, name, authorization: authorization! }),
  ) as [Client, Client];
  const settings = { NODE_ENV: "test", DATABASE_URL: database.url, DATA_DIR: restored.dataDir };
  const counts = (verb: "check" | "correct") => plumblineJson(settings, "counts", verb);
  expect((await reader("GET", conversation.path)).body.member_count).toBe(4);
  const doctor = () => finding("counts", settings);
  expect(await doctor()).toMatchObject({
    level: "fault",
    sentence: expect.stringContaining("npm run -s plumbline -- counts correct"),
  });
  const found = [
    { count: "member_count", checked: MANY + 1, wrong: MANY + 1, corrected: 0 },
    { count: "storage_usage", checked: 2, wrong: 1, corrected: 0 },
  ];
  expect(await counts("check")).toEqual({ exit: 2, lines: found });

  // Members join and leave, and uploads come and go, before, during and after the correction.
  let [isOver, changes] = [false, 0];
  const changing = (async () => {
    for (; !isOver; changes++) {
      const upload = await reader("POST", "/video-uploads", randomBytes(500));
      await reader("DELETE", `${conversation.members}/${member.userId}`);
      await reader("DELETE", `/video-uploads/${upload.body.id}`);
      await reader("PUT", `${conversation.members}/${member.userId}`);
    }
  })();
  await eventually("a change", () => changes > 3);
  const corrected = await counts("correct");
  const during = changes;
  await eventually("changes after the correction", () => changes > during + 3);
  isOver = true;
  await changing;
  expect(corrected).toEqual({ exit: 0, lines: found.map((it) => ({ ...it, corrected: it.wrong })) });
  expect(await counts("check")).toEqual({ exit: 0, lines: found.map((it) => ({ ...it, wrong: 0 })) });
  expect(await doctor()).toMatchObject({ level: "good" });
  expect((await reader("GET", conversation.path)).body.member_count).toBe(2);
  expect(await restored.db.storageUsage.findMany()).toMatchObject([{ userId: ada.userId, sizeBytes: 3_000n }]);
}, 300_000);
