import { describe, expect, it } from "@jest/globals";
import { checkJobs, checkMessages, checkNotices, checkWrites } from "./check.ts";
import type { JobRow, MessageRow, Notice, Observation, Read, Row, Write } from "./history.ts";

/** A history without a violation, which each test changes in one respect. */
const answer = (mark: string) => ({ id: `id-${mark}`, status: 201, text: `{"id":"id-${mark}"}` });
const write = (mark: string, startedMs: number, acknowledgedMs: number | null = startedMs + 5): Write => ({
  mark,
  startedMs,
  acknowledgedMs,
  acknowledgements: acknowledgedMs === null ? [] : [answer(mark)],
});
const row = (mark: string): Row => ({ mark, id: `id-${mark}` });
const message = (mark: string, sequence: number, senderId = "ada"): MessageRow => ({ ...row(mark), sequence, senderId });
const read = (startedMs: number, sequences: readonly number[], after: number | null = null, reachesEnd = true): Read => ({
  startedMs,
  endedMs: startedMs + 5,
  after,
  reachesEnd,
  items: sequences.map((sequence) => ({ sequence, id: `id-${"abcdef"[sequence - 1]}` })),
});

describe("checkWrites", () => {
  const writes = () => [write("a", 0), write("b", 10), write("c", 20, null)];
  const rows = () => [row("a"), row("b")];

  it.each([
    ["an unacknowledged write is not stored", rows()],
    ["an unacknowledged write is stored", [...rows(), row("c")]],
  ])("reports nothing if %s", (_case, stored) => {
    expect(checkWrites(writes(), stored)).toEqual([]);
  });

  it.each([
    ["an acknowledged write that is not stored", [row("a")], "lost: b"],
    ["a write that is stored twice", [...rows(), { mark: "b", id: "other" }], "duplicate: b"],
    ["an unacknowledged write that is stored twice", [...rows(), row("c"), row("c")], "duplicate: c"],
    ["a row that no client has sent", [...rows(), row("d")], "phantom: d"],
    ["a row with another id than the acknowledged one", [row("a"), { mark: "b", id: "other" }], "different: b"],
  ])("reports %s", (_case, stored, violation) => {
    expect(checkWrites(writes(), stored)).toEqual([expect.stringContaining(violation)]);
  });

  it.each([
    ["body", { ...answer("b"), text: '{ "id":"id-b"}' }],
    ["status", { ...answer("b"), status: 200 }],
  ])("reports a retry whose response has another %s", (_part, second) => {
    const all = writes();
    all[1]!.acknowledgements.push(second);
    expect(checkWrites(all, rows())).toEqual([expect.stringContaining("different: b")]);
  });

  it("reports nothing if a retry gets the same bytes", () => {
    const all = writes();
    all[1]!.acknowledgements.push(answer("b"));
    expect(checkWrites(all, rows())).toEqual([]);
  });
});

describe("checkMessages", () => {
  const writes = [write("a", 0), write("b", 10), write("c", 11), write("d", 30)];
  const rows = [message("a", 1), message("c", 2), message("b", 3), message("d", 4)];
  const ids = (it: Read): Read => ({
    ...it,
    items: it.items.map(({ sequence }) => ({ sequence, id: rows.find((row) => row.sequence === sequence)?.id ?? "?" })),
  });

  it("reports nothing if concurrent messages have any order, and reads show prefixes", () => {
    const reads = [read(2, []), read(6, [1]), read(20, [2, 3]), read(21, [2, 3], 1), read(22, [2], 1, false), read(50, [4], 3)];
    expect(checkMessages(writes, rows, reads.map(ids))).toEqual([]);
  });

  it.each([
    ["a gap", [rows[0]!, rows[1]!, rows[2]!, message("d", 5)], [], ["gap: d"]],
    ["the same number twice", [rows[0]!, rows[1]!, rows[2]!, message("d", 3)], [], ["gap: d"]],
    [
      "a message before one that was acknowledged first",
      [message("b", 1), rows[1]!, message("a", 3), rows[3]!],
      [],
      ["order: b", "order: c"],
    ],
    ["a lost message, which also leaves a gap", [rows[0]!, rows[1]!, rows[3]!], [], ["lost: b", "gap: d"]],
    ["a read without a message that was acknowledged before", rows, [read(6, [])], ["stale: a read ended with number 0"]],
    [
      "a read without a message that an earlier read had",
      rows,
      [read(11, [1, 2]), read(18, [1])],
      ["stale: a read ended with number 1"],
    ],
    ["a read that leaves out a message", rows, [read(50, [1, 2, 4])], ["read: number 4 came after number 2"]],
    ["a page that doesn't continue the one before", rows, [read(50, [3, 4], 1)], ["read: number 3 came after number 1"]],
    ["a page in the wrong order", rows, [read(50, [3, 2, 4], 2, false)], ["read: number 2 came", "read: number 4 came"]],
    ["a read with a message that has gone", rows, [read(50, [4, 5], 3)], ["read: number 5 was ?, but is nothing"]],
  ])("reports %s", (_case, stored, reads, violations) => {
    const found = checkMessages(writes, stored, reads.map(ids));
    expect(found).toEqual(violations.map((it) => expect.stringContaining(it)));
  });

  it("reports a read in which a number belongs to another message", () => {
    expect(checkMessages(writes, rows, [read(50, [2, 3, 4])])).toEqual([
      expect.stringContaining("read: number 2 was id-b, but is id-c"),
      expect.stringContaining("read: number 3 was id-c, but is id-b"),
    ]);
  });

  it("reports both orders that are wrong in practice: the time of the transaction, and the clocks of two hosts", () => {
    // A transaction began first and ended last: its row appears behind a position that was already read.
    const byTransaction = checkMessages(
      [write("a", 0, 40), write("b", 10)],
      [message("a", 1), message("b", 2)],
      [{ ...read(20, []), items: [{ sequence: 1, id: "id-b" }] }],
    );
    expect(byTransaction).toContainEqual(expect.stringContaining("read: number 1 was id-b, but is id-a"));
    // One host's clock is 20 ms slow, so its later message comes first.
    const byClock = checkMessages([write("a", 0), write("b", 10)], [message("b", 1), message("a", 2)], []);
    expect(byClock).toEqual([expect.stringContaining("order: b")]);
  });
});

describe("checkJobs", () => {
  const uploads = [write("a", 0), write("b", 10)];
  const rows: JobRow[] = [
    { ...row("a"), status: "succeeded" },
    { ...row("b"), status: "failed" },
  ];
  const at = (status: string, attempt: number, percent: number): Observation => ({ id: "id-a", status, attempt, percent });
  const notice = (mark: string, kind: string, count = 1): Notice => ({
    userId: "ada",
    kind: `video_upload.${kind}`,
    subject: `id-${mark}`,
    resource: `id-${mark}`,
    count,
    isRead: false,
  });
  const notices = [notice("a", "succeeded"), notice("b", "failed")];
  const states = [
    at("queued", 0, 0),
    at("processing", 1, 40),
    at("queued", 1, 0),
    at("processing", 2, 10),
    at("succeeded", 2, 100),
  ];

  it("reports nothing if each job ends once, and an interrupted attempt begins again", () => {
    expect(checkJobs(uploads, rows, states, notices)).toEqual([]);
  });

  it.each([
    ["a job without an end", [{ ...row("a"), status: "processing" }, rows[1]!], [], ["job: a has not ended"]],
    ["progress that decreases", rows, [at("processing", 1, 40), at("processing", 1, 30)], ["job: a fell from 40 %"]],
    ["an attempt that comes back", rows, [at("processing", 2, 0), at("processing", 1, 90)], ["job: a fell from 0 %"]],
    ["a job that runs again after its end", rows, [at("succeeded", 1, 100), at("queued", 1, 0)], ["job: a was queued"]],
    ["a job with two ends", rows, [at("failed", 1, 40), at("succeeded", 2, 100)], ["job: a had failed", "job: a was succeeded"]],
  ])("reports %s", (_case, stored, seen, violations) => {
    expect(checkJobs(uploads, stored, seen, notices)).toEqual(violations.map((it) => expect.stringContaining(it)));
  });

  it.each([
    ["no notification", notices.slice(1)],
    ["two notifications", [...notices, notice("a", "succeeded")]],
    ["one that counts the end twice", [notice("a", "succeeded", 2), notices[1]!]],
    ["one of another end", [notice("a", "failed"), notices[1]!]],
  ])("reports a job with %s", (_case, changed) => {
    expect(checkJobs(uploads, rows, [], changed)).toEqual([expect.stringContaining("notice: a")]);
  });
});

describe("checkNotices", () => {
  const rows = [message("a", 1, "ada"), message("b", 2, "tom"), message("c", 3, "yuki")];
  const members = [
    { userId: "ada", marksAsRead: false },
    { userId: "tom", marksAsRead: true },
    { userId: "yuki", marksAsRead: false },
  ];
  const notice = (userId: string, mark: string, count: number, isRead = false): Notice => ({
    userId,
    kind: "message.created",
    subject: "doors",
    resource: `id-${mark}`,
    count,
    isRead,
  });
  const notices = [notice("ada", "c", 2), notice("tom", "c", 1, true), notice("yuki", "b", 1, true)];

  it("reports nothing if each member was notified of the messages after their own", () => {
    expect(checkNotices("doors", rows, notices, members)).toEqual([]);
  });

  it.each([
    ["no notification", [notices[1]!]],
    ["two notifications", [...notices, notices[0]!]],
    ["a notification that counts a message twice", [notice("ada", "c", 3), ...notices.slice(1)]],
    ["a notification that no client has marked", [notice("ada", "c", 2, true), ...notices.slice(1)]],
    ["a notification of an old message", [notices[0]!, notice("tom", "b", 1)]],
    ["more messages than others have sent", [notices[0]!, notice("tom", "c", 3)]],
    ["a notification that a message of the member has left unread", [...notices.slice(0, 2), notice("yuki", "b", 1)]],
  ])("reports %s", (_case, changed) => {
    expect(checkNotices("doors", rows, changed, members)).toHaveLength(1);
  });
});
