import { randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { findOldPrepared } from "../../scripts/doctor/cluster.ts";
import { withSnapshot } from "../../src/database/snapshot.ts";
import { DATABASE } from "../../src/embedded-postgres/cluster.ts";
import { findReferences, EXCLUDED_COLUMNS, nameOf } from "../../src/personal-data/references-store.ts";
import { liveFully } from "../personal-data/someone.ts";
import type { Client } from "../support/client.ts";
import { openConversation, send, walk, withKey } from "../support/conversations.ts";
import { earlier, openSession } from "../support/database.ts";
import { startDistributedCluster } from "../support/distributed-cluster.ts";
import { examine } from "./support/doctor.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { temporaryFolder } from "../support/media.ts";
import { describeNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { publish } from "../support/posts.ts";
import type { PostgresNode } from "../support/postgres-nodes.ts";
import { linesOf, plumbline, plumblineJson, type Settings } from "../support/processes.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { sha256Of, smallClip } from "../support/videos.ts";

const SHORTER = { DATABASE_STATEMENT_TIMEOUT_SECONDS: "2" };

// Reads what is on this node alone. Citus hides shards, and a distributed table would be read on all nodes.
const OWN_TABLES = `SELECT c.oid::regclass::text AS name FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, to_regnamespace('pgboss'))
    AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)`;

/** The rows of one node of a cluster that contain a text, each with the name of its table or shard. */
async function rowsOnNode({ url }: PostgresNode, text: string): Promise<string[]> {
  await using session = await openSession(url, { options: "-c citus.override_table_visibility=off" });
  const { rows: tables } = await session.query<{ name: string }>(OWN_TABLES);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await session.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t WHERE strpos(t::text, $1) > 0`, [
      text,
    ]);
    found.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return found;
}

describeNeeds("citus", "on a distributed database", () => {
  const cluster = prepare(() => startDistributedCluster());
  const service = prepare(() => startTestService({ ROLE: "api" }, { url: cluster.url }));
  let settings: Settings;
  beforeAll(() => {
    settings = { NODE_ENV: "test", DATABASE_URL: cluster.url, DATA_DIR: service.dataDir };
  });

  const rowsOn = (text: string) => Promise.all(cluster.nodes.map((node) => rowsOnNode(node, text)));
  const user = (...args: readonly string[]) => plumblineJson(settings, "user", ...args);

  async function distributeAgain(changed: Readonly<Record<string, string>> = {}): Promise<void> {
    expect(await plumbline({ ...settings, ...changed }, "database", "distribute", "--yes")).toMatchObject({ exit: 0 });
  }

  /** Adds posts, short URLs and conversations of a user with another one until each worker has a row of each of the three. */
  async function spread(owner: Client, other: Client): Promise<void> {
    const SPREAD = ["posts", "short_urls", "conversations"];
    const isOn = async (worker: number) => {
      const rows = (await rowsOn(owner.userId))[worker]!;
      return SPREAD.every((table) => rows.some((it) => it.startsWith(`${table}_`)));
    };
    const write = async () => {
      await publish(owner);
      await owner("POST", "/urls", { target_url: "https://example.com/" }, withKey());
      await send(owner, await openConversation(owner, [other]), "Hello");
    };
    do await Promise.all([write(), write(), write()]);
    while (!(await isOn(1)) || !(await isOn(2)));
  }

  /** Everything that a user sees of their own. */
  async function everythingOf(client: Client) {
    const posts = (await walk(client, "/posts")).filter((it) => it.author_id === client.userId);
    const [urls, videos] = [await walk(client, "/urls"), await walk(client, "/video-uploads")];
    return { posts, urls, videos };
  }

  it("exports every row and file of a user, deletes them from every node, proves it, and changes nothing of other users", async () => {
    await using to = await temporaryFolder();
    const worker = await startWorkerOf(service);
    const [ada, bob] = [await service.as(), await service.as()];
    const { word, video, shared } = await liveFully(service, ada, bob);
    await spread(ada, bob);
    await spread(bob, ada);

    const folder = join(to.path, "ada");
    const { lines } = await user("export", ada.userId, "--to", folder);
    const rows: Record<string, number> = {};
    for (const it of await withSnapshot(cluster.url, findReferences)) {
      if (nameOf(it) in EXCLUDED_COLUMNS) continue;
      const [found] = await cluster.ask(`SELECT count(*)::int AS n FROM ${it.table} WHERE ${it.column} = $1`, [ada.userId]);
      rows[nameOf(it)] = linesOf(await readFile(join(folder, `${nameOf(it)}.jsonl`), "utf8")).length;
      expect([nameOf(it), rows[nameOf(it)]]).toEqual([nameOf(it), found!["n"]]);
    }
    // Nothing is retained for backups without KEEP_DELETED_HOURS.
    expect(Object.keys(rows).filter((name) => rows[name] === 0)).toEqual(["kept_objects.owner_id"]);
    expect(lines).toMatchObject([{ user_id: ada.userId, folder }]);
    expect(sha256Of(await readFile(join(folder, "objects/video-uploads", video.id, "original")))).toBe(
      sha256Of(await smallClip()),
    );
    expect((await readdir(folder)).length).toBeGreaterThan(10);

    const messagesBefore = await walk(bob, shared.messages, "before");
    const before = await everythingOf(bob);
    const onNodes = (await rowsOn(ada.userId)).map((it) => it.length);
    expect(Math.min(...onNodes)).toBeGreaterThan(3);
    expect((await user("proof", ada.userId)).exit).toBe(2);
    await worker.close();
    expect((await user("delete", ada.userId, "--yes")).exit).toBe(0);
    // The row of the user stays for 40 s, in which a request can still begin.
    await cluster.ask(`UPDATE users SET deleted_at = ${earlier("deleted_at", "1 minute")} WHERE id = '${ada.userId}'`);
    await using _another = await startWorkerOf(service);
    const proof = await eventually(
      "a proof without anything",
      async () => {
        const it = await user("proof", ada.userId);
        return it.exit === 0 && it;
      },
      120_000,
      500,
    );
    expect(proof.lines.filter((it) => it.rows > 0 || it.objects_of_user > 0)).toMatchObject([
      { table: "audit_entries", rows: 2 },
    ]);
    const isOfAudit = (row: string) => row.startsWith("audit_entries ");
    expect((await rowsOn(ada.userId)).flat().filter((it) => !isOfAudit(it))).toEqual([]);
    // The short code stays, because a printed link must never lead to the target of another user.
    expect((await rowsOn(word)).flat().filter((it) => !it.startsWith("short_urls_"))).toEqual([]);

    expect(await everythingOf(bob)).toEqual(before);
    const positionsOf = (it: typeof messagesBefore) => it.map(({ id, sequence }) => [id, sequence]);
    const messages = await walk(bob, shared.messages, "before");
    expect(positionsOf(messages)).toEqual(positionsOf(messagesBefore));
    const own = (it: typeof messagesBefore) => it.filter(({ sender_id: sender }) => sender === bob.userId);
    expect(own(messages)).toEqual(own(messagesBefore));
    expect(messages.some((it) => it.sender_id === ada.userId)).toBe(false);
  });

  it("counts, and corrects counts that are wrong on each node", async () => {
    const counts = (verb: "check" | "correct") => plumblineJson(settings, "counts", verb);
    const [ada, bob] = [await service.as(), await service.as()];
    await spread(ada, bob);
    await ada("POST", "/video-uploads", randomBytes(1_000));
    const conversations = await walk(ada, "/conversations");
    const [{ conversations: all, users }] = (await cluster.ask(
      "SELECT (SELECT count(*)::int FROM conversations) AS conversations, (SELECT count(*)::int FROM users) AS users",
    )) as [{ conversations: number; users: number }];
    const of = (wrong: readonly [number, number], corrected: readonly [number, number]) => [
      { count: "member_count", checked: all, wrong: wrong[0], corrected: corrected[0] },
      { count: "storage_usage", checked: users, wrong: wrong[1], corrected: corrected[1] },
    ];
    expect(await counts("check")).toEqual({ exit: 0, lines: of([0, 0], [0, 0]) });
    await cluster.ask("UPDATE conversations SET member_count = 7 WHERE created_by = $1", [ada.userId]);
    await cluster.ask("UPDATE storage_usage SET size_bytes = 7 WHERE user_id = $1", [ada.userId]);
    const wrong = [conversations.length, 1] as const;
    expect(await counts("check")).toEqual({ exit: 2, lines: of(wrong, [0, 0]) });
    expect(await counts("correct")).toEqual({ exit: 0, lines: of(wrong, wrong) });
    expect(await counts("check")).toEqual({ exit: 0, lines: of([0, 0], [0, 0]) });
    expect(await walk(ada, "/conversations")).toEqual(conversations);
  });

  it("runs every scheduled job to its end, which removes what is due on each node, and nothing else", async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => service.as()));
    const [ada, bob] = users as [Client, Client];
    const keys = { old: randomUUID(), young: randomUUID() };
    const post = (it: Client, key: string) => it("POST", "/posts", { title: "x", body: "x" }, withKey(key));
    await Promise.all(users.flatMap((it) => Object.values(keys).map((key) => post(it, key))));
    await spread(ada, bob);
    const open = async () => {
      const it = await openConversation(ada, [bob]);
      await send(bob, it, "Hello");
      for (const member of [bob, ada]) expect((await ada("DELETE", `${it.members}/${member.userId}`)).status).toBe(204);
      return it;
    };
    const gone = await Promise.all(Array.from({ length: 8 }, open));
    const deleted = await service.as();
    await spread(deleted, bob);
    await user("delete", deleted.userId, "--yes");
    const begun = await ada("POST", "/video-uploads", Buffer.alloc(1_000), {
      headers: { "Upload-Complete": "?0", "Upload-Length": "700000" },
    });
    expect(begun.status).toBe(204);
    // What the removals of these had to do is left to the hourly job, as after their last attempt.
    await cluster.ask("DELETE FROM pgboss.job WHERE name = 'leftovers'");
    for (const statement of [
      `UPDATE idempotency_keys SET expires_at = ${earlier("expires_at", "73 hours")} WHERE key = '${keys.old}'`,
      `UPDATE conversations SET deleted_at = ${earlier("deleted_at", "2 days")} WHERE deleted_at IS NOT NULL`,
      `UPDATE users SET deleted_at = ${earlier("deleted_at", "2 days")} WHERE id = '${deleted.userId}'`,
      `UPDATE notifications SET created_at = ${earlier("created_at", "91 days")}, updated_at = ${earlier("updated_at", "91 days")} WHERE user_id = '${bob.userId}'`,
      "UPDATE partial_uploads SET created_at = created_at - interval '30 days'",
      `INSERT INTO click_days (short_url_id, day, click_count) SELECT id, (now() AT TIME ZONE 'UTC')::date - n, 1
        FROM short_urls, unnest('{1,500}'::int[]) n WHERE owner_id = '${ada.userId}'`,
      "INSERT INTO rate_limits (key, points, expire) VALUES ('writes:x', 1, 1000)",
      `INSERT INTO audit_entries (id, action, details, operator, host, expires_at)
        VALUES (gen_random_uuid(), 'user.add', '{}', 'ada', 'here', now() - interval '1 hour')`,
      `INSERT INTO video_running_time (owner_id, hour, seconds) VALUES ('${ada.userId}', now() - interval '2 days', 1)`,
      `INSERT INTO upload_reservations (id, owner_id, size_bytes, touched_at) VALUES (gen_random_uuid(), '${ada.userId}', 1, now() - interval '30 days')`,
      "INSERT INTO pgboss.job (name) VALUES ('maintenance'), ('reconciliation')",
    ])
      await cluster.ask(statement);
    const left = async () => {
      const numbers = {
        oldKeys: `idempotency_keys WHERE key = '${keys.old}'`,
        youngKeys: `idempotency_keys WHERE key = '${keys.young}'`,
        conversations: `conversations WHERE id = ANY ('{${gone.map((it) => it.id).join()}}')`,
        messages: `messages WHERE conversation_id = ANY ('{${gone.map((it) => it.id).join()}}')`,
        deletedUsers: `users WHERE id = '${deleted.userId}'`,
        notifications: `notifications WHERE user_id = '${bob.userId}'`,
        incompleteUploads: `partial_uploads WHERE owner_id = '${ada.userId}'`,
        oldDays: "click_days WHERE day < now() - interval '450 days'",
        otherDays: "click_days WHERE day > now() - interval '450 days'",
        counters: "rate_limits WHERE key = 'writes:x'",
        audit: "audit_entries WHERE expires_at < now()",
        runningTime: "video_running_time WHERE hour < now() - interval '26 hours'",
        reservations: `upload_reservations WHERE owner_id = '${ada.userId}'`,
      };
      const counts: Record<string, unknown> = {};
      for (const [name, rows] of Object.entries(numbers))
        counts[name] = (await cluster.ask(`SELECT count(*)::int AS n FROM ${rows}`))[0]!["n"];
      return counts;
    };
    const before = await left();
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    await using _worker = await startWorkerOf(service);
    const unfinished =
      "SELECT name, state::text, output->>'message' AS reason FROM pgboss.job WHERE name <> '__pgboss__send-it' AND state <> 'completed'";
    await eventually(
      "the end of the jobs",
      async () => {
        const jobs = await cluster.ask(unfinished);
        const failed = jobs.filter((it) => it["reason"] !== null);
        if (failed.length > 0) throw new Error(JSON.stringify(failed));
        return jobs.length === 0;
      },
      120_000,
      200,
    );
    const isRetained = ([name]: readonly [string, unknown]) => name === "youngKeys" || name === "otherDays";
    const expected = Object.fromEntries(Object.entries(before).map((it) => [it[0], isRetained(it) ? it[1] : 0]));
    expect(await left()).toEqual(expected);
    expect((await plumblineJson(settings, "job", "list")).lines).toEqual([]);
    expect((await plumblineJson(settings, "store", "show")).lines).toMatchObject([{ problem: null }]);
  });

  it("has a doctor that reports for each node what is wrong, and what to do", async () => {
    const doctor = async (changed: Readonly<Record<string, string>> = {}) => {
      const { findings } = await examine({ ...settings, ...changed });
      const ofCluster = findings.filter(({ check }) => check.startsWith("cluster_"));
      return {
        findings,
        wrong: ofCluster.filter(({ level }) => level !== "good").map(({ check, level, sentence }) => [check, level, sentence]),
      };
    };
    const healthy = await doctor();
    // The servers of tests keep nothing in a crash.
    expect(healthy.findings.filter(({ level, check }) => level === "fault" && check !== "durability")).toEqual([]);
    expect(healthy.findings.filter(({ check }) => check.startsWith("cluster_"))).toHaveLength(5);
    const [one, other] = cluster.workers as [PostgresNode, PostgresNode];
    const nameOf = (node: PostgresNode) => new URL(node.url).host;
    const onNode = async (node: PostgresNode, ...statements: readonly string[]) => {
      await using session = await openSession(node.url);
      for (const it of ["SET citus.enable_ddl_propagation = off", "SET citus.enable_metadata_sync = off", ...statements])
        await session.query(it);
    };
    /** Breaks something, expects one finding about it, and follows its advice. The next call would find what is left. */
    const finds = async (broken: () => Promise<unknown>, finding: readonly unknown[], mended: () => Promise<unknown>) => {
      await broken();
      expect((await doctor()).wrong).toEqual([finding]);
      await mended();
    };
    await finds(
      () => onNode(one, `ALTER DATABASE ${DATABASE} RESET lock_timeout`),
      [
        "cluster_tables",
        "fault",
        expect.stringMatching(/lacks 1 steps \(the lock timeout of the workers\); `npm run -s plumbline -- database distribute`/),
      ],
      () => distributeAgain(),
    );
    const [{ signature }] = (await cluster.ask(
      "SELECT oid::regprocedure::text AS signature FROM pg_proc WHERE proname = 'notify_users'",
    )) as [{ signature: string }];
    await finds(
      () => onNode(other, `DROP FUNCTION ${signature}`),
      ["cluster_functions", "fault", expect.stringMatching(new RegExp(`\\(${nameOf(other)}: notify_users\\); run`))],
      () => cluster.ask("SELECT start_metadata_sync_to_all_nodes()"),
    );
    const version = "UPDATE pg_extension SET extversion = $1 WHERE extname = 'citus'";
    const [{ extversion }] = (await one.ask("SELECT extversion FROM pg_extension WHERE extname = 'citus'")) as [
      { extversion: string },
    ];
    await finds(
      () => one.ask(version, ["1.0"]),
      [
        "cluster_settings",
        "fault",
        expect.stringMatching(new RegExp(`with the extension 1.0 on ${nameOf(one)}.*ALTER EXTENSION citus UPDATE`)),
      ],
      () => one.ask(version, [extversion]),
    );
    await finds(
      () => other.kill(),
      [
        "cluster_nodes",
        "fault",
        expect.stringMatching(new RegExp(`^No answer comes from 1 of 3 nodes .* \\(${nameOf(other)}\\).*start them`)),
      ],
      () => other.start(),
    );
    expect((await doctor()).wrong).toEqual([]);
    await onNode(one, "BEGIN", "CREATE TABLE prepared ()", "PREPARE TRANSACTION 'left behind'");
    try {
      await using session = await openSession(cluster.url);
      // The test does not wait for minutes.
      expect(await findOldPrepared(session, 0)).toEqual([`left behind on ${nameOf(one)}`]);
      expect(await findOldPrepared(session, 5)).toEqual([]);
    } finally {
      await one.ask("ROLLBACK PREPARED 'left behind'");
    }
    expect((await doctor(SHORTER)).wrong).toEqual([["cluster_tables", "fault", expect.stringContaining("lock timeout")]]);
    await distributeAgain(SHORTER);
    expect((await doctor(SHORTER)).wrong).toEqual([]);
    const isSet = "SELECT 1 FROM pg_db_role_setting WHERE 'lock_timeout=1s' = ANY (setconfig)";
    expect(await one.ask(isSet)).toHaveLength(1);
  });

  it("returns 409 to a retry that has waited on a worker, also with a shorter limit on statements", async () => {
    await distributeAgain(SHORTER);
    await using shorter = await startTestService({ ROLE: "api", DATA_DIR: service.dataDir, ...SHORTER }, { url: cluster.url });
    // The sessions with the node that was killed end one after the other, each when it is used.
    const [ada, key] = [await eventually("a user", () => shorter.as().catch(() => null)), randomUUID()];
    // The first attempt: it has taken the key, and its transaction is still open.
    await using first = await hold(
      cluster.url,
      `INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body)
        VALUES ($1, 'createPost', $2, decode(repeat('00', 32), 'hex'), 0, '{}', '')`,
      [ada.userId, key],
    );
    const post = () => ada("POST", "/posts", { title: "A plumb line", body: "x" }, { headers: { "Idempotency-Key": key } });
    const retry = post();
    await first.blocks(1);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    expect((await Promise.all(cluster.workers.map((it) => it.ask(waiting)))).flat()).toHaveLength(1);
    expect(await retry).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
    await first.release();
    expect(await post()).toMatchObject({ status: 201 });
  });
});
