import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { parse } from "yaml";
import { readConfig, settings } from "../../src/config.ts";
import { interpolate, readComposeFile, readHere, requiredVariables, secondsOf } from "../support/compose.ts";
import { environmentOf, instructionsOf, readDockerfile } from "../support/dockerfile.ts";
import { itNeeds } from "../support/needs.ts";
import { repository } from "../support/running.ts";

const { args, stages } = readDockerfile();
const image = stages.at(-1)!;
const FILLED = {
  ...Object.fromEntries(requiredVariables().map((name) => [name, "filled-in-by-the-operator"])),
  PUBLIC_URL: "https://api.example.com",
};
const { services, networks, volumes } = interpolate(FILLED);
const ours = Object.entries(services).filter(([, it]) => it.build !== undefined);
const portOf = (address: string) => Number(address.split(":").at(-1));

describe("the Dockerfile", () => {
  itNeeds("hadolint", "has no fault that hadolint finds", () => {
    const { stdout, status } = spawnSync("hadolint", ["--no-color", "Dockerfile"], { cwd: repository, encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  });

  it("uses the version of Node that package.json names, and one Debian for all stages", () => {
    const { dependencies, version } = JSON.parse(readHere("package.json")) as {
      dependencies: { node: string };
      version: string;
    };
    const [, tag] = /^NODE_IMAGE=node:(\S+)$/.exec(args[0]!.text)!;
    expect(tag).toMatch(new RegExp(`^${dependencies.node.replaceAll(".", "\\.")}-[a-z]+-slim$`));
    expect(stages.map((it) => it.image)).toEqual(stages.map(() => "${NODE_IMAGE}"));
    const labels = instructionsOf(image, "LABEL")[0]!.text;
    expect(labels).toContain(`image.version="${version}"`);
    expect(labels).toContain(`node:${tag}"`);
    expect(services["api-1"]!.image).toBe(`plumbline:${version}`);
    expect(readHere("scripts/deploy/README.md")).toContain(`docker tag plumbline:previous plumbline:${version}`);
  });

  it("runs as a numeric user that is not root, and its process gets the signals", () => {
    expect(instructionsOf(image, "USER").map((it) => it.text)).toEqual(["10001:10001"]);
    for (const name of ["CMD", "HEALTHCHECK"]) expect(instructionsOf(image, name).map((it) => it.isExec)).toEqual([true]);
    expect(instructionsOf(image, "ENTRYPOINT")).toEqual([]);
    const { scripts } = JSON.parse(readHere("package.json")) as { scripts: { start: string } };
    expect(instructionsOf(image, "CMD")[0]!.words.join(" ")).toBe(scripts.start.replace(/^exec /, "").replace(/ -r \S+/, ""));
  });

  it("sets only settings of the service, and no secret", () => {
    const names = Object.keys(environmentOf(image));
    expect(names.filter((it) => !(it in settings.shape))).toEqual([]);
    expect(names.filter((it) => /SECRET|KEY|PASSWORD|URL/.test(it))).toEqual([]);
    expect(args.concat(stages.flatMap((it) => instructionsOf(it, "ARG"))).map((it) => it.text.split("=")[0])).toEqual([
      "NODE_IMAGE",
    ]);
    expect(instructionsOf(image, "EXPOSE")[0]!.text).toBe(environmentOf(image)["PORT"]);
  });

  it("is built in hosted CI, where its programs run with files that can't be written and without rights", () => {
    type Step = { readonly run?: string };
    const { jobs } = parse(readHere(".github/workflows/ci.yml")) as { jobs: { slow: { steps: readonly Step[] } } };
    const commands = jobs.slow.steps.map(({ run = "" }) => run);
    const built = commands.findIndex((it) => /^docker build --tag plumbline \.$/m.test(it));
    const [run] = commands.slice(built).filter((it) => it.includes("docker run"));
    expect(built).toBeGreaterThanOrEqual(0);
    expect(run).toMatch(/docker run --rm --read-only --tmpfs \/tmp --cap-drop ALL plumbline node "\$command" --help/);
    const [, programs] = /for command in (.+); do/.exec(run!)!;
    expect(programs!.split(" ")).toEqual(["src/main.ts", "scripts/plumbline.ts"]);
    for (const it of programs!.split(" ")) expect([it, existsSync(join(repository, it))]).toEqual([it, true]);
    expect(run).toContain(`test "$(id -u)" = ${instructionsOf(image, "USER")[0]!.text.split(":")[0]}`);
  });

  it("copies only what .dockerignore lets in, and that is only what is in git", () => {
    const [first, ...allowed] = readHere(".dockerignore")
      .split("\n")
      .filter((line) => !/^(#|$)/.test(line));
    expect(first).toBe("*");
    const copied = stages
      .flatMap((it) => instructionsOf(it, "COPY"))
      .filter((it) => it.flags["from"] === undefined)
      .flatMap((it) => it.words.slice(0, -1));
    expect([...new Set(copied)].sort()).toEqual(allowed.map((it) => it.replace(/^!/, "")).sort());
    const ignored = execFileSync("git", ["ls-files", "--others", "--ignored", "--exclude-standard", "--", ...copied], {
      cwd: repository,
      encoding: "utf8",
    });
    expect(ignored).toBe("");
  });
});

describe("compose.yaml", () => {
  it("is valid by the schema of the Compose Specification", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    const schema = JSON.parse(readFileSync(join(repository, "test/support/compose-spec.json"), "utf8")) as object;
    const validate = ajv.compile(schema);
    expect({ valid: validate(readComposeFile()), errors: validate.errors }).toEqual({ valid: true, errors: null });
    expect(validate({ services: { api: { image: "x", read_onyl: true } } })).toBe(false);
  });

  it("runs two API processes and two workers, and one migration before them", () => {
    expect(ours.map(([name, it]) => [name, it.environment!["ROLE"]])).toEqual([
      ["api-1", "api"],
      ["api-2", "api"],
      ["worker-1", "worker"],
      ["worker-2", "worker"],
      ["migrate", undefined],
      ["backup-objects", undefined],
    ]);
    for (const [name, it] of ours)
      if (name !== "migrate") expect(it.depends_on!["migrate"]).toEqual({ condition: "service_completed_successfully" });
  });

  it.each(ours)("%s has only settings of the service, and they are valid in production", (_name, { environment }) => {
    expect(Object.keys(environment!).filter((it) => !(it in settings.shape))).toEqual([]);
    const config = readConfig({ ...environmentOf(image), ...environment });
    expect(config).toMatchObject({ NODE_ENV: "production", HOST: "0.0.0.0", DATA_DIR: "/data" });
    expect(portOf(new URL(config.DATABASE_URL!).host)).toBe(6432);
    expect(portOf(new URL(config.DIRECT_DATABASE_URL!).host)).toBe(5432);
  });

  it("has no secret: it refuses to start while a value in the example of the environment file is empty", () => {
    const lines = readHere("scripts/deploy/example.env")
      .split("\n")
      .filter((line) => !/^(#|$)/.test(line));
    const example = Object.fromEntries(lines.map((line) => line.split("=", 2) as [string, string]));
    expect(Object.keys(example)).toEqual(expect.arrayContaining(requiredVariables()));
    expect(requiredVariables()).toEqual(expect.arrayContaining(["POSTGRES_PASSWORD", "S3_SECRET_ACCESS_KEY", "CURSOR_SECRETS"]));
    for (const name of requiredVariables()) {
      expect(example[name]).toBe("");
      expect(() => interpolate({ ...FILLED, [name]: "" })).toThrow(`required variable ${name} is missing a value`);
    }
    const written = Object.values(interpolate(Object.fromEntries(requiredVariables().map((it) => [it, "filled-in"]))).services);
    const secrets = written.flatMap((it) =>
      Object.entries(it.environment ?? {}).filter(([name]) => /SECRET|PASSWORD|ACCESS_KEY/.test(name)),
    );
    expect(secrets.length).toBeGreaterThan(5);
    for (const secret of secrets) expect(secret[1]).toBe("filled-in");
  });

  it.each(Object.entries(services))("%s can change no file of its image, gain no right, and use only its share", (name, it) => {
    expect(it).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
    // It ends before the others begin.
    expect(it.cap_add ?? []).toEqual(name === "backup-owners" ? ["CHOWN", "DAC_OVERRIDE", "FOWNER"] : []);
    expect(it.restart).toMatch(/^(no|unless-stopped)$/);
    expect(Object.keys(it.deploy!.resources!.limits!).sort()).toEqual(["cpus", "memory", "pids"]);
    expect(it.image).toMatch(/:v?\d+\.\d+/);
  });

  it("limits the log of each container", () => {
    for (const [name, { logging }] of Object.entries(services))
      expect([name, logging]).toEqual([name, { driver: "json-file", options: { "max-size": "50m", "max-file": "5" } }]);
  });

  it("waits only for services that say when they are healthy, and mounts only files that exist and the folders of the backup", () => {
    const ownCheck = instructionsOf(image, "HEALTHCHECK").length > 0;
    const written: string[][] = [];
    for (const [name, it] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(it.depends_on ?? {})) {
        const { healthcheck, build } = services[other]!;
        const isChecked = healthcheck?.test !== undefined || (build !== undefined && ownCheck);
        expect({
          name,
          other,
          ok: condition === "service_healthy" ? isChecked : services[other]!.restart === "no",
        }).toMatchObject({ ok: true });
      }
      for (const volume of it.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./backup/")) written.push([name, source]);
        else
          expect({
            volume,
            exists: source.startsWith(".") ? existsSync(join(repository, source)) && volume.endsWith(":ro") : source in volumes,
          }).toMatchObject({ exists: true });
      }
      for (const network of it.networks) expect(networks).toHaveProperty(network);
    }
    expect(written).toEqual([
      ["postgres", "./backup/database"],
      ["backup-database", "./backup/database"],
      ["backup-objects", "./backup/objects"],
      ["backup-owners", "./backup/database"],
      ["backup-owners", "./backup/objects"],
    ]);
  });

  it("gives every process more time to stop than it takes, and longer the more others depend on it", () => {
    const graceOf = (name: string) => secondsOf(services[name]!.stop_grace_period!);
    // The delay, the last requests, and the end of the job queue (http/connections.ts, jobs/jobs.ts).
    const delaySeconds = Number(services["api-1"]!.environment!["SHUTDOWN_DELAY_SECONDS"]);
    for (const [name] of ours) if (name !== "migrate") expect(graceOf(name)).toBeGreaterThan(delaySeconds + 8 + 5);
    for (const name of ["proxy", "pgbouncer", "postgres", "store"]) expect(graceOf(name)).toBeGreaterThan(graceOf("api-1"));
  });

  it("gives a way out only to what needs one, and publishes only the proxy", () => {
    expect(networks["back"]!.internal).toBe(true);
    const inside = ["migrate", "pgbouncer", "postgres", "store", "backup-database", "backup-objects", "backup-owners"];
    for (const name of inside) expect(services[name]!.networks).toEqual(["back"]);
    expect(
      Object.entries(services)
        .filter(([, it]) => it.ports !== undefined)
        .map(([name]) => name),
    ).toEqual(["proxy"]);
  });

  it("gives each process that sends webhooks a network that is not internal, on which nothing else is, and the proxy of .env", () => {
    const senders = ours.filter(([, it]) => ["worker", "all"].includes(it.environment!["ROLE"] ?? ""));
    expect(senders.map(([name]) => name)).toEqual(["worker-1", "worker-2"]);
    for (const [name, it] of senders) {
      const waysOut = it.networks.filter((network) => networks[network]!.internal !== true);
      expect({ name, waysOut }).toEqual({ name, waysOut: ["egress"] });
    }
    const onEgress = Object.entries(services).filter(([, it]) => it.networks.includes("egress"));
    expect(onEgress.map(([name]) => name)).toEqual(senders.map(([name]) => name));
    const proxied = interpolate({ ...FILLED, WEBHOOK_PROXY: "http://egress-proxy:3128" }).services["worker-1"]!.environment!;
    expect(readConfig({ ...environmentOf(image), ...proxied }).WEBHOOK_PROXY).toBe("http://egress-proxy:3128");
    expect(readConfig({ ...environmentOf(image), ...services["worker-1"]!.environment }).WEBHOOK_PROXY).toBeUndefined();
  });
});

describe("the configuration of the proxy and the pooler", () => {
  const proxy = readHere("scripts/deploy/haproxy.cfg");
  const pooler = readHere("scripts/deploy/pgbouncer.ini");

  itNeeds("haproxy", "is one that HAProxy accepts", () => {
    const { stderr, status } = spawnSync("haproxy", ["-c", "-f", "scripts/deploy/haproxy.cfg"], {
      cwd: repository,
      encoding: "utf8",
    });
    // Outside of Compose, no name of a container has an address.
    const complaints = stderr
      .split("\n")
      .filter((line) => /WARNING|ALERT/.test(line) && !line.includes("could not resolve address"));
    expect({ complaints, status }).toEqual({ complaints: [], status: 0 });
  });

  it("leads to the API processes, and notices a shutdown within its delay", () => {
    const port = environmentOf(image)["PORT"]!;
    const targets = [...proxy.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, address]) => `${name} ${address}`);
    expect(targets).toEqual(
      ours.filter(([, it]) => it.environment!["ROLE"] === "api").map(([name]) => `${name} ${name}:${port}`),
    );
    const [, everyMs, fall] = /check inter (\d+)ms fall (\d+)/.exec(proxy)!;
    const delaySeconds = Number(services["api-1"]!.environment!["SHUTDOWN_DELAY_SECONDS"]);
    expect(delaySeconds * 1_000).toBeGreaterThanOrEqual(2 * Number(everyMs) * Number(fall));
    const [, bound] = /^ {2}bind :(\d+)$/m.exec(proxy)!;
    expect(services["proxy"]!.ports).toEqual([`8080:${bound}`]);
    expect(services["api-1"]!.environment).toMatchObject({ TRUST_PROXY: "1" });
    expect(proxy).toMatch(/http-request del-header X-Forwarded-For\n {2}option forwardfor/);
  });

  it("shares fewer connections than PostgreSQL has, in transaction mode, and lets every process in", () => {
    const value = (name: string) => new RegExp(`^${name} = (.*)$`, "m").exec(pooler)?.[1];
    expect(value("pool_mode")).toBe("transaction");
    expect(pooler).toContain("plumbline = host=postgres port=5432 dbname=plumbline");
    expect(value("listen_port")).toBe("6432");
    expect(Number(value("default_pool_size"))).toBeLessThan(100);
    const poolSize = readConfig({}).DATABASE_POOL_SIZE;
    expect(Number(value("max_client_conn"))).toBeGreaterThan((ours.length - 1) * (poolSize + 5));
  });
});

describe("the systemd unit", () => {
  const unit = readHere("scripts/deploy/plumbline@.service");

  itNeeds("systemd-analyze", "has no fault that systemd finds", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-unit-"));
    try {
      // systemd looks for the program, and for the page.
      const file = join(folder, "plumbline@.service");
      writeFileSync(file, unit.replaceAll("/opt/plumbline", repository));
      const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
      expect({ stdout, stderr: stderr.split("\n").filter((it) => it.includes("plumbline@")), status }).toEqual({
        stdout: "",
        stderr: [],
        status: 0,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("runs the service as npm start does, sets only settings of the service, and gives it the time that a stop takes", () => {
    const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map((it) => it[1]!);
    expect(valuesOf("ExecStart")[0]).toMatch(new RegExp(`/${instructionsOf(image, "CMD")[0]!.words.join(" ")}$`));
    const names = valuesOf("Environment").flatMap((it) => it.split(" ").map((pair) => pair.split("=")[0]!.replace(/_FILE$/, "")));
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((it) => !(it in settings.shape))).toEqual([]);
    expect(valuesOf("TimeoutStopSec")).toEqual([String(secondsOf(services["api-1"]!.stop_grace_period!))]);
  });

  it("is installed by the page with the packages of the image, and its commands get the files of its settings", () => {
    const [, page] = /^## A host without containers\n([^]*?)\n## /m.exec(readHere("scripts/deploy/README.md"))!;
    const [packages] = instructionsOf(stages[0]!, "RUN").map((it) => it.text.replace(" --ignore-scripts", ""));
    expect(page).toContain(`&& ${packages}\n`);
    const files = [...unit.matchAll(/^(?:EnvironmentFile=|LoadCredential=\w+:)(\S+)$/gm)].map((it) => it[1]!);
    expect(files).toHaveLength(3);
    for (const file of files) expect(page).toContain(`/dev/stdin ${file} <<<`);
    const commands = page!.split("\n").filter((it) => /npm run -s/.test(it));
    expect(commands).toHaveLength(2);
    for (const it of commands)
      expect(it).toMatch(/^DATABASE_URL_FILE=\/etc\/plumbline\/database_url npm run -s (migrate|plumbline -- user add)/);
    expect(files).toContain("/etc/plumbline/database_url");
  });
});
