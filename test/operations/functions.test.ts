import { hash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { applyFunctions, outdatedFunctions, readFunctions } from "../../src/database/functions.ts";
import { withMigrationSession } from "../../src/database/migration-session.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { prepare } from "../support/prepare.ts";

/**
 * The signature of each function, and the texts of its editions. If a text is used outside your machine, raise the edition in the
 * file and add a line here. A changed signature is a new function, because the previous release still calls the old one.
 */
const KNOWN: Readonly<Record<string, { readonly signature: string; readonly editions: readonly string[] }>> = {
  add_notifications: { signature: "8781dba8ac846583", editions: ["03d2c801d0b2d0cb", "fb74b897d890f704"] },
  claim_key: { signature: "1bd140b1d1e8cfe4", editions: ["4f097be0f9e896fc", "40a0c4fde2cda98a", "fb546cfb3f0e1d7b"] },
  clock_after: { signature: "834c97925673505b", editions: ["a26845b5f62b62fd"] },
  count_unread: { signature: "5bf0a4a0516776f2", editions: ["40fb2a8ac7a843a4", "2038c4f82b41d765"] },
  delay_paused: { signature: "6396b94bfaa1e745", editions: ["1e2a114a29322507", "1355692b0d586d44", "8bca2b7b646c1708"] },
  is_unassigned: { signature: "4988241769b3ad37", editions: ["8f4aa2b47b3c44d0"] },
  jobs_of: { signature: "d4dcda71702643ab", editions: ["da5499b14c7a2d46"] },
  names_of: {
    signature: "af09250985c16708",
    editions: ["32fc65123bb645cc", "0dcc7aa803e42658", "5a5cae932152fddc", "e8628710a03ea09b"],
  },
  notify_users: {
    signature: "bea89a481970e120",
    editions: ["7e049cbf5b91bc32", "fa72cbb42473c516", "cd668eec4016ec00", "ec25ee3f8e30adae"],
  },
  post_messages: {
    signature: "2e5afe508c50b437",
    editions: ["1d767cc4c9fc7e24", "f32c902cf52479d4", "b4dacf1dc0cfdd3c", "81e1d6a7367b6f29"],
  },
  read_conversation: { signature: "e6b6a847a3949cff", editions: ["56a6a32df4faad07"] },
  ready_endpoints: { signature: "ff7e5634ec6677ae", editions: ["7227fb6196925620", "240a34db99a433cf"] },
  send_messages: {
    signature: "777e9fdb4903fad2",
    editions: [
      ...["9c57133b57f638c1", "8bf4a63e606693cd", "d1cc289eae7e625b", "0acf184a6362b2fd", "a253a710e0dd414d"],
      ...["68896980f38523c4", "f986550accafc176", "9433f12318bca781"],
    ],
  },
  stamp_event: { signature: "bbcbf08697184230", editions: ["24e14a6e242173fc"] },
  tell_endpoints: { signature: "969a51d4dd60ab8f", editions: ["5848f24f26aaedf3", "83fdc7c7989275ed", "0937b97f9562f2bd"] },
  uuid_v7: { signature: "6a3d4bd6dbae2dd4", editions: ["fa6ceb4609a408b3"] },
  was_seen: { signature: "0e7d80d51249393b", editions: ["2813918ab1b75cce", "3c56c25f8e95a49a"] },
};
const digest = (text: string) => hash("sha256", text).slice(0, 16);

const database = prepare(createTestDatabase);
const client = prepare(() => openSession(database.url));

const functions = readFunctions();
const [first] = functions;
/** Its text with another line for the edition. */
const withEdition = (line: string) => ({
  ...first!,
  ...{ sql: first!.sql.replace(/-- Edition \d+\n/, line) },
  ...{ body: first!.body.replace(/-- Edition \d+\n/, line) },
});

describe("the functions of the database", () => {
  it("are there as their files say, and each once", async () => {
    expect(await outdatedFunctions(client)).toEqual([]);
    const { rows } = await client.query<{ name: string; count: number }>(
      "SELECT proname AS name, count(*)::int AS count FROM pg_proc WHERE proname = ANY ($1) GROUP BY proname ORDER BY proname",
      [functions.map((it) => it.name)],
    );
    expect(rows).toEqual(functions.map(({ name }) => ({ name, count: 1 })).sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it("have the signatures and the texts that their editions had", () => {
    const found = functions.map(({ name, sql, body }) => {
      const signature = digest(/^CREATE OR REPLACE FUNCTION[^$]*/m.exec(sql)![0]);
      return [name, { signature, editions: [...(KNOWN[name]?.editions.slice(0, -1) ?? []), digest(body)] }];
    });
    expect(Object.fromEntries(found)).toEqual(KNOWN);
    for (const { name, body } of functions) expect(body).toContain(`-- Edition ${KNOWN[name]!.editions.length}\n`);
  });

  it("are replaced by one of several processes if they have changed or are missing, and stay if they are of a newer version", async () => {
    const { name, body } = first!;
    const stored = async () =>
      (await client.query<{ body: string }>("SELECT prosrc AS body FROM pg_proc WHERE proname = $1", [name])).rows[0]?.body;
    const edition = KNOWN[name]!.editions.length;
    await client.query(withEdition(`-- Edition ${edition}\n-- as it was\n`).sql);
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url)));
    expect(applied.flat()).toEqual([name]);
    expect(await stored()).toBe(body);

    await client.query(`DROP FUNCTION ${name}`);
    expect(await migrateDatabase(database.url)).toEqual([name]);
    expect(await stored()).toBe(body);

    const later = withEdition(`-- Edition ${edition + 1}\n`);
    const applyLater = () => withMigrationSession(database.url, {}, (session) => applyFunctions(session, [later]));
    expect(await applyLater()).toEqual([name]);
    expect(await migrateDatabase(database.url)).toEqual([]);
    expect(await stored()).toBe(later.body);
  });
});
