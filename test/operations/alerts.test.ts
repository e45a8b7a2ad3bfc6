import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { parse } from "yaml";
import { everyOperation, isStreamed, sendsBytes } from "../../src/contract/operations.ts";
import { temporaryFolder } from "../support/media.ts";
import { scrape, type Scrape } from "../support/metrics.ts";
import { itNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const FOLDER = new URL("../../scripts/deploy/monitoring/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook_url", string>>;
};
type Panel = { readonly type: string; readonly title: string; readonly targets?: readonly { readonly expr: string }[] };
type Dashboard = {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
};

const rules = (parse(read("alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap((it) => it.rules);
const dashboard = JSON.parse(read("dashboard.json")) as Dashboard;
const panels = dashboard.panels.filter((it) => it.type !== "row");

const service = prepare(() => startTestService({ METRICS_PORT: "0" }));
let metrics: Scrape;
beforeAll(async () => {
  // Histograms and counters of requests have samples only after the first one.
  await fetch(`${service.url}/nowhere`);
  metrics = await scrape(service.metricsUrl);
});

/** The metrics that an expression of PromQL names. `up` is made by Prometheus. */
const metricsIn = (expr: string) => [...expr.matchAll(/\b(?:plumbline|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name);
/** A metric of a running service: a sample of it, or at least its type, if it has no sample yet. */
function exists(name: string): boolean {
  const family = name.replace(/_(bucket|sum|count)$/, "");
  return name === "up" || metrics.names.has(name) || metrics.text.includes(`# TYPE ${family} `);
}
/** The labels that an expression reads or groups by, with the metric. */
const selectors = (expr: string) =>
  [...expr.matchAll(/(plumbline_\w+)\{([^}]*)\}/g)].flatMap(([, name, body]) =>
    [...body!.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label, , values]) => ({
      name: name!,
      label: label!,
      values: values!,
    })),
  );

const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.annotations.list.map(({ expr }) => ["annotation", expr] as const),
];

describe("the alerts and the dashboard", () => {
  it("name only metrics that a running service has", () => {
    expect(expressions.length).toBeGreaterThan(40);
    const named = expressions.map(([where, expr]) => ({ where, metrics: metricsIn(expr) }));
    expect(named.filter((it) => it.metrics.length === 0)).toEqual([]);
    expect(named.flatMap((it) => it.metrics.filter((name) => !exists(name)).map((name) => `${it.where}: ${name}`))).toEqual([]);
  });

  it("name only labels and values that these metrics have", () => {
    const known: Readonly<Record<string, readonly string[] | null>> = {
      job: null,
      status: null,
      operation: everyOperation.map(({ id }) => id),
      kind: ["unavailable", "store_full"],
      state: ["waiting", "deferred", "active", "failed"],
      lane: ["first", "later"],
      status_class: ["1xx", "2xx", "3xx", "4xx", "5xx", "none"],
      outcome: ["succeeded", "failed", "retried", "moved", "postponed", "stopped", "lost", "interrupted", "unreachable"],
      policy: ["default", "writes", "uploads", "follow", "failed_authentication"],
    };
    const wrong = expressions.flatMap(([where, expr]) =>
      selectors(expr).filter(({ label, values }) => {
        const allowed = known[label];
        return (
          allowed === undefined || (allowed !== null && values.split("|").some((it) => !allowed.includes(it)) && where !== "")
        );
      }),
    );
    expect(wrong).toEqual([]);
    for (const [label, values] of Object.entries({ outcome: known["outcome"]!, policy: known["policy"]!, lane: known["lane"]! }))
      for (const value of values) expect(metrics.text).toContain(`${label}="${value}"`);
  });

  it("judge the duration of all operations but those that take as long as the client does", () => {
    const streamed = everyOperation.filter((it) => isStreamed(it) || sendsBytes(it)).map(({ id }) => id);
    const excluded = expressions.flatMap(([, expr]) =>
      selectors(expr).filter((it) => it.label === "operation" && it.name.includes("duration")),
    );
    expect(excluded.length).toBeGreaterThan(1);
    for (const { values } of excluded) expect(values.split("|").sort()).toEqual([...streamed].sort());
  });

  it("judge the share of failed requests without health checks", () => {
    const unlimited = everyOperation.filter((it) => it.ratePolicy === "none").map(({ id }) => id);
    const shares = expressions.filter(([, expr]) => expr.includes('status=~"5.."'));
    expect(shares.map(([where]) => where)).toEqual(["PlumblineErrors", "Share of requests that fail with 5xx"]);
    for (const [, expr] of shares)
      expect(expr.split(`operation!~"${unlimited.join("|")}"`).length - 1).toBe(expr.match(/plumbline_/g)!.length);
  });

  it("use every metric of the service", () => {
    const used = new Set(expressions.flatMap(([, expr]) => metricsIn(expr)).map((it) => it.replace(/_(bucket|sum|count)$/, "")));
    const own = [...metrics.text.matchAll(/^# TYPE (plumbline_\w+) /gm)].map(([, name]) => name!);
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe("the runbook", () => {
  const runbook = read("RUNBOOK.md");
  const sections = runbook.split(/^## /m).slice(1);

  it("has one section for each alert, and each alert leads to its section", () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(sections.map((it) => it.split("\n")[0])).toEqual(rules.map((it) => it.alert));
    for (const { alert, labels, annotations } of rules) {
      expect(annotations.runbook_url).toBe(`scripts/deploy/monitoring/RUNBOOK.md#${alert.toLowerCase()}`);
      expect(["critical", "warning"]).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description).toMatch(/\.$/);
    }
  });
});

describe("promtool", () => {
  const promtool = (...args: readonly string[]) => promisify(execFile)("promtool", args);
  const path = (name: string) => new URL(name, FOLDER).pathname;

  itNeeds("promtool", "loads the rules", async () => {
    expect((await promtool("check", "rules", path("alerts.yaml"))).stdout).toContain(`${rules.length} rules found`);
  });

  itNeeds("promtool", "fires the alerts on the numbers that they are for, and on no others", async () => {
    await promtool("test", "rules", new URL("alerts.promtool.yaml", import.meta.url).pathname);
  });

  /** Runs promtool on a file with this text. */
  async function promtoolOn(text: string, command: (file: string) => readonly string[]) {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "rules.json");
    await writeFile(file, text);
    const [program = "", ...args] = command(file);
    return await promisify(execFile)(program, args);
  }

  itNeeds("promtool", "finds nothing wrong in the metrics of a service", async () => {
    const outcome = await promtoolOn(metrics.text, (file) => ["sh", "-c", `promtool check metrics < ${file}`]);
    expect(outcome).toEqual({ stdout: "", stderr: "" });
  });

  itNeeds("promtool", "can parse every expression of the dashboard", async () => {
    const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m")));
    const file = { groups: [{ name: "dashboard", rules: exprs.map((expr, n) => ({ record: `panel:${n}`, expr })) }] };
    const { stdout } = await promtoolOn(JSON.stringify(file), (path) => ["promtool", "check", "rules", path]);
    expect(stdout).toContain(`${exprs.length} rules found`);
  });
});
