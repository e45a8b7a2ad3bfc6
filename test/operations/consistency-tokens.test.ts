import { describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { withReplicas } from "../../src/consistency/read-routing.ts";
import type { Handlers } from "../../src/contract/contract.ts";
import { openPrimaryLog, type LogPosition } from "../../src/database/replicas/log-position.ts";
import type { Replica, Replicas } from "../../src/database/replicas/replicas.ts";
import { Failure } from "../../src/failure.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { operations } from "../support/contract.ts";

const cursors = createCursors(["a secret of these tests"]);
const HERE = "here";
const at = (bytes: number, history = HERE): LogPosition => ({ history, bytes });
const tokenOf = ({ history, bytes }: LogPosition) => cursors.of({ consistency: "position" }).encode([history, bytes]);
type Answer = { readonly from: string; readonly headers: Readonly<Record<string, string>> };

/** A primary and a replica, each with a position, whose handlers only say where they ran. */
function deployment() {
  const state = {
    primary: at(100),
    replica: at(100),
    /** What the replica says after it was read. */
    replicaLater: null as LogPosition | null,
    hasAccess: true,
    isPositionAway: false,
    fails: null as { readonly database: string; readonly error: Error } | null,
    suspected: 0,
  };
  const handlersOf = ({ db }: { readonly db: unknown }) =>
    Object.fromEntries(
      operations.map(({ id }) => [
        id,
        async () => {
          if (state.fails !== null && state.fails.database === db) throw state.fails.error;
          return { from: db };
        },
      ]),
    ) as unknown as Handlers;
  const replica = {
    db: "replica",
    has: async ({ history, bytes }: LogPosition) => state.replica.history === history && state.replica.bytes >= bytes,
    position: async () => state.replicaLater ?? state.replica,
    markUnhealthy: () => state.suspected++,
  } as unknown as Replica;
  const replicas: Replicas = {
    all: [replica],
    async position() {
      if (state.isPositionAway) throw new Error("away");
      return state.primary;
    },
    close: async () => undefined,
  };
  const checks = { not_a_member: async () => state.hasAccess };
  const handlers = withReplicas(handlersOf, { primary: { db: "primary" } as never, replicas, cursors, checks });
  const send = (id: string, token?: string, query = {}) =>
    (handlers as unknown as Record<string, (input: unknown) => Promise<Answer>>)[id]!({
      header: token === undefined ? {} : { "Consistency-Token": token },
      query,
    });
  /** Where a read with a token ran, and the state of the token in its response. */
  const read = async (token: string, id = "getPost") => {
    const { from, headers } = await send(id, token);
    const [history, bytes] = cursors.of({ consistency: "position" }).decode("", headers["Consistency-Token"]!);
    return [from, at(Number(bytes), String(history))];
  };
  return { state, send, read };
}

const readers = operations.filter((it) => it.headerParameters.includes("Consistency-Token"));

describe("a read with a token", () => {
  const old = tokenOf(at(90));
  const repeated = (count: number) => Array.from({ length: count }, () => old).join(", ");
  it.each<readonly [string, string, "replica" | "primary"]>([
    ["its state", old, "replica"],
    ["a later state", tokenOf(at(91)), "primary"],
    ["the state of another history", tokenOf(at(1, "before the failover")), "primary"],
    ["the newest of several states", `${tokenOf(at(1))}, ${old}`, "replica"],
    ["the newest of several states, which is later", `${old},${tokenOf(at(91))},${tokenOf(at(1))}`, "primary"],
    ["states of two histories", `${old},${tokenOf(at(1, "x"))}`, "primary"],
    ["100 tokens", repeated(100), "replica"],
    ["more than 100 tokens", repeated(101), "primary"],
    ["an empty token beside another one", `${old},`, "primary"],
    ["a changed token", `x${old}`, "primary"],
    ["an empty token", "", "primary"],
  ])("for %s runs where that is, and returns a token for the state that it has seen", async (_what, token, from) => {
    const { state, read } = deployment();
    state.replica = at(90);
    const [ranOn, next] = await read(token);
    expect([ranOn, next]).toEqual([from, from === "replica" ? at(90) : at(100)]);
    // With that token, a replica is read once it has that state.
    state.replica = at(100);
    expect((await read(tokenOf(next as LogPosition)))[0]).toBe("replica");
  });

  it("of a request that waits runs on the primary, because the replica may lack what has ended the wait", async () => {
    const { send } = deployment();
    expect((await send("listMessages", tokenOf(at(100)), { wait: 0 })).from).toBe("replica");
    expect((await send("listMessages", tokenOf(at(100)), { wait: 1 })).from).toBe("primary");
  });

  it.each([at(99), at(200, "another")])("discards what a replica has returned that then has the position %j", async (later) => {
    const { state, read } = deployment();
    state.replicaLater = later;
    expect(await read(tokenOf(at(100)))).toEqual(["primary", at(100)]);
  });

  it.each([
    ["refuses it", new Failure("not_found", "Not yet."), 0],
    ["fails, which is then suspected", new Error("away"), 1],
  ])("runs on the primary if the replica %s", async (_what, error, suspected) => {
    const { state, read } = deployment();
    state.fails = { database: "replica", error };
    expect(await read(tokenOf(at(1)))).toEqual(["primary", at(100)]);
    expect(state.suspected).toBe(suspected);
  });
});

describe("access", () => {
  it("to every operation that can read a replica can be lost in a way that is checked on the primary, or in none", () => {
    // A user can leave a listed conversation while its rows are still on a replica.
    const lists = readers.filter((it) => it.access["authenticated"] === "allowed");
    const losable = lists.filter(({ path }) => operations.some((it) => it.path.startsWith(`${path}/`) && "member" in it.access));
    expect(lists.length).toBeGreaterThan(2);
    expect(losable.map((it) => it.id)).toEqual([]);
    expect(readers.filter((it) => "member" in it.access).map((it) => it.access["stranger"])).toEqual(
      Array.from({ length: 4 }, () => "not_a_member"),
    );
  });

  it.each(readers.filter((it) => "member" in it.access))("to $id is decided by the primary", async ({ id }) => {
    const { state, read } = deployment();
    expect((await read(tokenOf(at(1)), id))[0]).toBe("replica");
    state.hasAccess = false;
    expect((await read(tokenOf(at(1)), id))[0]).toBe("primary");
  });
});

describe("the token of a response", () => {
  it("is in every success of every operation with a credential, and in no other", async () => {
    const { send } = deployment();
    const withToken: string[] = [];
    for (const { id } of operations) if ((await send(id)).headers?.["Consistency-Token"] !== undefined) withToken.push(id);
    expect(withToken).toEqual(operations.filter((it) => it.scopes !== null).map((it) => it.id));
    const declared = operations.filter((it) => it.scopes !== null && !it.responseHeaders.includes("Consistency-Token"));
    expect(declared).toEqual([]);
  });

  it("is in a problem that depends on the data, with all other fields of the problem", async () => {
    const { state, send } = deployment();
    const failure = new Failure("rate_limited", "Later.", { retryAfterSeconds: 3, cause: "why" });
    state.fails = { database: "primary", error: failure };
    const thrown = (await send("updatePost").catch((error: unknown) => error)) as Failure;
    expect(thrown).toMatchObject({ code: "rate_limited", detail: "Later.", cause: "why", data: { retryAfterSeconds: 3 } });
    expect(thrown.data.consistencyToken).toBe(tokenOf(at(100)));
  });

  it("leads to the primary if the position is unknown, so that a successful write is visible", async () => {
    const { state, read, send } = deployment();
    state.isPositionAway = true;
    const { headers } = await send("createPost");
    state.isPositionAway = false;
    expect(await read(headers["Consistency-Token"]!)).toEqual(["primary", at(100)]);
  });
});

describe("the log of a primary", () => {
  /** A server with a position, and the row of its history. */
  function server() {
    const state = { server: "1/00000001", bytes: 100, row: null as { id: string; server: string } | null };
    const query = async (text: string, [id, after]: readonly string[] = []) => {
      if (text.startsWith("INSERT") && (state.row === null || state.row.id === after))
        state.row = { id: id!, server: state.server };
      const { row } = state;
      const answer = {
        may: true,
        history: row?.id ?? "",
        beganOn: row?.server ?? null,
        server: state.server,
        bytes: state.bytes,
      };
      return { rows: [answer] };
    };
    return { state, log: openPrimaryLog({ query } as unknown as pg.Pool) };
  }

  it("has one history while its position grows, and another one for another server or timeline, or if it goes back", async () => {
    const { state, log } = server();
    const histories = new Set<string>();
    const next = async (change: Partial<typeof state>) => {
      Object.assign(state, change);
      const { history, bytes } = await log.position();
      expect(bytes).toBe(state.bytes);
      histories.add(history);
      return histories.size;
    };
    expect([await next({}), await next({ bytes: 200 }), await next({ bytes: 200 })]).toEqual([1, 1, 1]);
    expect([await next({ bytes: 199 }), await next({ bytes: 199 }), await next({ bytes: 300 })]).toEqual([2, 2, 2]);
    expect([await next({ server: "1/00000002", bytes: 400 }), await next({ bytes: 500 })]).toEqual([3, 3]);
    expect(await next({ server: "2/00000002" })).toBe(4);
  });

  it("has the history that another process has begun since", async () => {
    const { state, log } = server();
    const { history } = await log.position();
    state.row = { id: "another", server: state.server };
    expect(await log.beginHistory(history)).toMatchObject({ history: "another" });
  });
});
