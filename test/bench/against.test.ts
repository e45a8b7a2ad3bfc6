import { describe, expect, it } from "@jest/globals";
import { byFolder, type Profile } from "./profile.ts";
import { changeTable, folderTable } from "./report.ts";
import { changeOf, type Sample } from "./stats.ts";

const sample = (round: number, subject: string, serverUs: number, postgresUs: number): Sample => ({
  ...{ round, subject, serverUs, postgresUs },
  ...{ load: "url-read", requestsPerSecond: 1, p50Ms: 1, p99Ms: 1 },
});
const cellsOf = (table: string) =>
  table.split("\n").map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((it) => it.trim()),
  );

describe("the comparison with an earlier commit", () => {
  // The machine becomes three times as slow from round to round. The commit costs 100, and this one 110, 120, 130 and 140 %.
  const samples = [0, 1, 2, 3].flatMap((round) => [
    sample(round, "against", 100 * 3 ** round, 50 * 3 ** round),
    sample(round, "plumbline", (110 + 10 * round) * 3 ** round, 50 * 3 ** round),
  ]);

  it("divides within a round before it takes median and quartiles, so that a slow round does not count more", () => {
    const { times } = changeOf(samples, "serverUs", "url-read", "plumbline", "against");
    expect(Object.values(times).map((it) => it.toFixed(2))).toEqual(["1.10", "1.25", "1.30"]);
    expect(changeOf(samples, "bothUs", "url-read", "plumbline", "against").times.median).toBeCloseTo(1 + 0.25 / 1.5);
  });

  it("shows a load without PostgreSQL", () => {
    const table = changeTable(
      [sample(0, "against", 20, 0), sample(0, "plumbline", 10, 0)],
      [{ name: "url-read" } as never],
      "plumbline",
      "against",
    );
    expect(cellsOf(table)[2]).toEqual(["url-read", "20 -> 10", "0.50 [0.50-0.50]", "0.0 -> 0.0", "-", "0.50 [0.50-0.50]"]);
  });
});

describe("a profile by folder", () => {
  const frames: Readonly<Record<string, readonly [name: string, url: string, children: string]>> = {
    root: ["(root)", "", "handler socket gc idle"],
    handler: ["handle", "file:///code/src/posts/handlers.ts", "stringify ajv query"],
    stringify: ["toString", "", ""],
    ajv: ["validate", "file:///code/node_modules/ajv/dist/ajv.js", ""],
    query: ["run", "file:///code/generated/sql/posts.ts", "pg"],
    pg: ["query", "file:///elsewhere/node_modules/pg/lib/client.js", "write"],
    write: ["writev", "node:net", ""],
    socket: ["onread", "node:internal/stream_base_commons", "parse"],
    parse: ["parse", "file:///elsewhere/node_modules/pg-protocol/dist/parser.js", "slice"],
    slice: ["slice", "node:buffer", ""],
    gc: ["(garbage collector)", "", ""],
    idle: ["(idle)", "", ""],
  };
  const names = Object.keys(frames);
  const profile: Profile = {
    nodes: names.map((id) => {
      const [functionName, url, children] = frames[id]!;
      return {
        id: names.indexOf(id),
        callFrame: { functionName, url },
        children: children === "" ? [] : children.split(" ").map((it) => names.indexOf(it)),
      };
    }),
    samples: names.map((_, index) => index),
    timeDeltas: names.map((_, index) => 2 ** index / 8),
  };
  const timeOf = (...ids: readonly string[]) => ids.reduce((sum, it) => sum + 2 ** names.indexOf(it) / 8, 0);

  it("counts what a folder calls in packages and Node as its own, and the rest by package", () => {
    expect(byFolder(profile, "/code/")).toEqual(byFolder(profile, "/code"));
    expect(Object.fromEntries(byFolder(profile, "/code"))).toEqual({
      "src/posts": timeOf("handler", "stringify", "ajv"),
      "generated/sql": timeOf("query", "pg", "write"),
      "node_modules/pg-protocol": timeOf("parse", "slice"),
      Node: timeOf("socket"),
      "garbage collector": timeOf("gc"),
    });
  });

  it("counts no wait for a processor between two samples", () => {
    const interrupted = { ...profile, samples: [1, 1], timeDeltas: [200, 50_000] };
    expect([...byFolder(interrupted, "/code")]).toEqual([["src/posts", 600]]);
  });

  it("shows where the time has grown first, also in a folder that is new", () => {
    const [before, after] = [
      new Map([
        ["src/http", 20],
        ["src/lists", 5],
        ["src/urls", 0.1],
      ]),
      new Map([
        ["src/http", 22],
        ["src/pagination", 8],
        ["src/urls", 0.1],
      ]),
    ];
    expect(cellsOf(folderTable("url-read", before, after)).slice(2)).toEqual([
      ["src/pagination", "0.0", "8.0", "8.0"],
      ["src/http", "20.0", "22.0", "2.0"],
      ["src/lists", "5.0", "0.0", "-5.0"],
      ["all", "25.1", "30.1", "5.0"],
    ]);
  });
});
