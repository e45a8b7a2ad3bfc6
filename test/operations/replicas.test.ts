import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { openDatabase } from "../../src/database/client.ts";
import { openReplicas, type ReplicaProblem } from "../../src/database/replicas/replicas.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";

/** Functions with the names of PostgreSQL's, and another table of histories: with them, one server is its own standby. */
const STANDBY = `CREATE SCHEMA standby;
  CREATE TABLE standby.state AS SELECT true AS in_recovery, pg_current_wal_insert_lsn() AS replayed;
  CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT in_recovery FROM standby.state';
  CREATE FUNCTION standby.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT replayed FROM standby.state';
  CREATE TABLE standby.log_histories (id char(12))`;
const HAS_ALL = "UPDATE standby.state SET replayed = pg_current_wal_insert_lsn()";
const SAME_HISTORY = "DELETE FROM standby.log_histories; INSERT INTO standby.log_histories SELECT id FROM public.log_histories";

const empty = prepare(createTestDatabase);
const primary = prepare(async () => openDatabase(empty.url, { DATABASE_POOL_SIZE: 2 }, () => undefined));
const replicas = prepare(async () => {
  await primary.pool.query(STANDBY);
  const standby = new URL(empty.url);
  standby.searchParams.set("options", "-c search_path=standby,public,pg_catalog");
  const config = {
    REPLICA_DATABASE_URLS: [standby.href, "postgresql://unknown@127.0.0.1:1/x"],
    REPLICA_MAX_LAG_SECONDS: 1,
    DATABASE_POOL_SIZE: 2,
    DATABASE_STATEMENT_TIMEOUT_SECONDS: 10,
    PREPARED_STATEMENTS: "auto" as const,
  };
  return openReplicas(config, primary.pool, pino({ level: "silent" }));
});

it("a replica is used while it has what the primary had a moment ago, and not while it is away, behind, promoted or of another history", async () => {
  const [standby, away] = replicas.all;
  const { history } = await replicas.position();
  const ask = (sql: string) => primary.pool.query(sql);
  /** Changes the standby, and waits until the next polls have seen it. */
  const after = async (change: string, problem: ReplicaProblem | null, during = "SELECT") => {
    await ask(change);
    await eventually(String(problem), async () => {
      await ask(during);
      return standby!.state().problem === problem;
    });
  };
  await after(`${SAME_HISTORY}; ${HAS_ALL}`, null, HAS_ALL);
  const now = await replicas.position();
  await eventually("a replica that has it", async () => {
    await ask(HAS_ALL);
    return standby!.has(now);
  });
  expect(await standby!.has({ history, bytes: now.bytes + 2 ** 30 })).toBe(false);
  expect(await standby!.has({ history: "another", bytes: 1 })).toBe(false);
  // Until it answers again, it is not asked.
  standby!.markUnhealthy(new Error("broken"));
  expect([standby!.state().problem, await standby!.has({ history, bytes: 1 })]).toEqual(["away", false]);

  await after(HAS_ALL, null, HAS_ALL);
  await after("SELECT", "behind", "SELECT pg_logical_emit_message(false, 'test', 'x')");
  await after("UPDATE standby.log_histories SET id = 'another'", "other_history", HAS_ALL);
  await after(SAME_HISTORY, null, HAS_ALL);
  await after("UPDATE standby.state SET in_recovery = false", "away", HAS_ALL);
  await after("UPDATE standby.state SET in_recovery = true", null, HAS_ALL);
  expect(away!.state()).toEqual({ name: "127.0.0.1:1", problem: "away" });
  expect(await away!.has({ history, bytes: 1 })).toBe(false);
});
