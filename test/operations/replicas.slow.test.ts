import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { openConversation, send } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { startPrimary, type PostgresNode } from "../support/postgres-nodes.ts";
import { prepare } from "../support/prepare.ts";
import { finding, found } from "./support/doctor.ts";
import { caughtUp, readsOf, tokenOf, withToken } from "./support/replicas.ts";
import { scrape } from "../support/metrics.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const READS = sized(800, 5_000);
const USERS = 16;
const MAX_LAG_SECONDS = 10;

const primary = prepare(() => startPrimary());
/** One is a moment behind, the other one much longer, so that a client that reads both could go back in time. */
const standbys = [
  ["near", "20ms"],
  ["far", "150ms"],
].map(([name, delayed]) =>
  prepare(() => primary.addStandby(name!, { settings: { recovery_min_apply_delay: delayed! } })),
) as unknown as readonly [PostgresNode, PostgresNode];
const deployment = prepare(() => createDeployment({ database: primary }));
beforeAll(async () => {
  const settings = {
    REPLICA_DATABASE_URLS: standbys.map((it) => it.url).join(","),
    REPLICA_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS),
    LOG_LEVEL: "info",
    LOG_REQUESTS: "off",
  };
  for (const its of [writers, readers]) {
    const process = await deployment.start("api", settings);
    await eventually("replicas that are used", () => process.stdout().match(/a replica is used/g)?.length === 2);
    for (let n = 0; n < USERS; n++) its.push(await deployment.as());
    if (its === readers) for (const it of writers) elsewhere.set(it, deployment.asAgain(it));
  }
});
/** Users of one process, and users of the other. */
const writers: Client[] = [];
const readers: Client[] = [];

/** The same user at the other process. */
const elsewhere = new Map<Client, Client>();

describe("with two replicas that are behind", () => {
  it(`none of ${READS} reads is older than what its client wrote or read, and replicas serve many of them`, async () => {
    const random = seededRandom("replicas");
    const [before, counts] = [
      await readsOf(...standbys),
      { reads: 0, stale: 0, backwards: 0, withoutToken: 0, staleIfUnchecked: 0 },
    ];
    const first = tokenOf(await writers[0]!("GET", "/posts?limit=1"));
    const work = async (writer: Client, reader: Client) => {
      const created = await writer("POST", "/posts", { title: "0", body: "x" });
      let [token, known, seenToken, seen] = [tokenOf(created), 0, tokenOf(created), 0];
      const path = `/posts/${created.body.id}`;
      const read = async (by: Client, required: string) => {
        const answer = await by("GET", path, undefined, withToken(required));
        counts.reads++;
        if (answer.headers.get("consistency-token") === null) counts.withoutToken++;
        return [Number(answer.body.title ?? -1), tokenOf(answer)] as const;
      };
      while (counts.reads < READS) {
        if (random(4) === 0) {
          known++;
          token = tokenOf(await writer("PATCH", path, { title: String(known) }));
          // A read that may be old, because it has the token of an old state. It shows that the replica is behind.
          const old = await reader("GET", path, undefined, withToken(first));
          if (Number(old.body.title ?? -1) < known) counts.staleIfUnchecked++;
        }
        const [own, next] = await read(random(2) === 0 ? writer : elsewhere.get(writer)!, token);
        token = next;
        if (own !== known) counts.stale++;
        // Another user, who has only read it.
        const [others, later] = await read(reader, seenToken);
        if (others < seen) counts.backwards++;
        [seen, seenToken] = [others, later];
        await delay(random(30));
      }
    };
    await Promise.all(writers.slice(1).map((writer, n) => work(writer, readers[n]!)));
    // PostgreSQL publishes the counts of a session a little later.
    const isServed = async () => (await readsOf(...standbys)) - before > READS / 20;
    await eventually("a twentieth of the reads in the counts of the replicas", isServed);
    expect(counts).toMatchObject({ stale: 0, backwards: 0, withoutToken: 0 });
    expect(counts.reads).toBeGreaterThanOrEqual(READS);
    expect(counts.staleIfUnchecked).toBeGreaterThan(READS / 50);
  }, 180_000);

  describe("that have stopped replaying", () => {
    /** Stops the replicas while both processes use both of them, until the test ends. They are in use for `MAX_LAG_SECONDS` longer. */
    async function pauseReplicas() {
      const [writer, reader] = [writers[0]!, readers[0]!];
      await eventually("replicas that are used", async () => {
        for (const it of standbys) await it.ask("SELECT pg_wal_replay_resume()");
        const created = await writer("POST", "/posts", { title: "Old", body: "x" });
        const path = created.headers.get("location")!;
        await Promise.all(standbys.map((it) => caughtUp(primary, it)));
        for (const it of standbys) await it.ask("SELECT pg_wal_replay_pause()");
        await writer("PATCH", path, { title: "New" });
        const titles: string[] = [];
        for (const it of [writer, writer, reader, reader])
          titles.push((await it("GET", path, undefined, withToken(tokenOf(created)))).body.title);
        return titles.every((it) => it === "Old");
      });
    }
    afterEach(async () => {
      for (const it of standbys) await it.ask("SELECT pg_wal_replay_resume()");
    });
    const isUsed = async (path: string, old: string, reader: Client, answers: number) =>
      expect(await reader("GET", path, undefined, withToken(old))).toMatchObject({ status: answers });

    it(`what others have changed shows in every read that is sent ${MAX_LAG_SECONDS} s later`, async () => {
      const [ada, yuki] = writers as [Client, Client];
      const path = (await ada("POST", "/posts", { title: "Old", body: "x" })).headers.get("location")!;
      const old = withToken(tokenOf(await yuki("GET", path)));
      await pauseReplicas();
      expect(await ada("PATCH", path, { title: "New" })).toMatchObject({ status: 200 });
      const changedMs = performance.now();
      const titles = { before: [] as string[], after: [] as string[] };
      while (titles.after.length < 50) {
        const isAfter = performance.now() - changedMs >= MAX_LAG_SECONDS * 1_000;
        titles[isAfter ? "after" : "before"].push((await yuki("GET", path, undefined, old)).body.title);
      }
      expect(titles.before).toContain("Old");
      expect(new Set(titles.after)).toEqual(new Set(["New"]));
    });

    it("every operation refuses a removed member at once, and the list of conversations doesn't have the conversation", async () => {
      const [ada, yuki] = writers as [Client, Client];
      const conversation = await openConversation(ada, [yuki]);
      const { body: message } = await send(ada, conversation, "Before");
      const post = (await ada("POST", "/posts", { title: "Old", body: "x" })).headers.get("location")!;
      const old = tokenOf(await yuki("GET", conversation.path));
      await pauseReplicas();
      expect(await ada("DELETE", `${conversation.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
      expect(await ada("DELETE", post)).toMatchObject({ status: 204 });
      const paths = operations
        .filter((it) => it.path.startsWith("/conversations/{") && it.headerParameters.includes("Consistency-Token"))
        .map((it) => it.path.replace("{conversationId}", conversation.id).replace("{message_id}", message.id));
      expect(paths).toHaveLength(4);
      for (const path of [...paths, ...paths]) {
        const answer = await yuki("GET", path, undefined, withToken(old));
        expect(answer).toMatchObject({ status: 403, body: { code: "not_a_member" } });
        expect(answer.headers.has("consistency-token")).toBe(true);
      }
      const listed = (await yuki("GET", "/conversations?limit=100", undefined, withToken(old))).body.data;
      expect(listed.filter((it: { id: string }) => it.id === conversation.id)).toEqual([]);
      // The replicas were in use all the time.
      await isUsed(post, old, yuki, 200);
    });
  });

  it("no read fails when the replicas die under load, and they are used again when they are back", async () => {
    const { body: post } = await readers[0]!("POST", "/posts", { title: "Still here", body: "x" });
    const path = `/posts/${post.id}`;
    let [isStopped, reads, token] = [false, 0, tokenOf(await readers[0]!("GET", path))];
    const failures: string[] = [];
    const reading = Promise.all(
      readers.slice(0, 4).map(async (reader) => {
        for (; !isStopped; await delay(5)) {
          const answer = await reader("GET", path, undefined, withToken(token));
          reads++;
          if (answer.status !== 200) failures.push(answer.text);
          else token = tokenOf(answer) ?? token;
        }
      }),
    );
    try {
      const grows = async (what: string) => {
        const before = await readsOf(...standbys);
        await eventually(what, async () => (await readsOf(...standbys)) > before + 100);
      };
      await grows("reads served by replicas");
      const [killed, soFar] = [(await Promise.all(standbys.map((it) => it.kill()))).length, reads];
      expect(killed).toBe(2);
      await eventually("reads without replicas", () => reads > soFar + 500);
      for (const it of standbys) await it.start();
      await grows("reads served by replicas again");
    } finally {
      isStopped = true;
      await reading;
    }
    expect(failures).toEqual([]);
  }, 120_000);
});

it("a replica that is never used is seen in the metrics and by the doctor, with the reason", async () => {
  // An address where nothing answers, and a primary, which has other data as soon as it is written to.
  const unused = ["postgresql://unknown:wrong-password@127.0.0.1:1/plumbline", primary.url];
  const urls = [standbys[0].url, ...unused];
  const settings = { REPLICA_DATABASE_URLS: urls.join(","), REPLICA_MAX_LAG_SECONDS: "5" };
  await using service = await startTestService({ ...settings, METRICS_PORT: "0", ROLE: "api" }, { url: primary.url });
  const used = async () => {
    const { text } = await scrape(service.metricsUrl);
    return urls.map((url) => new RegExp(`plumbline_replica_used\\{replica="${new URL(url).host}"\\} (\\d)`).exec(text)?.[1]);
  };
  await eventually("a replica that is used", async () => (await used())[0] === "1");
  expect(await used()).toEqual(["1", "0", "0"]);
  const doctor = { NODE_ENV: "test", DATABASE_URL: primary.url, DATA_DIR: service.dataDir, ...settings };
  const [unreachable, itself] = unused.map((url) => new URL(url).host);
  const sentence = `^The primary serves the reads of 2 of 3 replicas: ${unreachable} cannot be used: .*ECONNREFUSED.*; ${itself} is no replica\\.$`;
  // No finding may contain the password.
  expect(await finding("replicas", doctor)).toEqual(found("fault", new RegExp(sentence)));
}, 120_000);
