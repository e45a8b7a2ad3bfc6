import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { readConfig, settings } from "../../src/config.ts";
import { interpolate, readComposeFile, readHere, requiredVariables } from "./support/compose.ts";
import { environmentOf, instructionsOf, readDockerfile } from "./support/dockerfile.ts";
import { temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { repository } from "../support/processes.ts";

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

  it("sets only settings of the service, and no secret", () => {
    const names = Object.keys(environmentOf(image));
    expect(names.filter((it) => !(it in settings.shape))).toEqual([]);
    expect(names.filter((it) => /SECRET|KEY|PASSWORD|URL/.test(it))).toEqual([]);
    expect(args.concat(stages.flatMap((it) => instructionsOf(it, "ARG"))).map((it) => it.text.split("=")[0])).toEqual([
      "NODE_IMAGE",
    ]);
    expect(instructionsOf(image, "EXPOSE")[0]!.text).toBe(environmentOf(image)["PORT"]);
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
    const schema = JSON.parse(readFileSync(join(repository, "test/operations/support/compose-spec.json"), "utf8")) as object;
    const validate = ajv.compile(schema);
    expect({ valid: validate(readComposeFile()), errors: validate.errors }).toEqual({ valid: true, errors: null });
    expect(validate({ services: { api: { image: "x", read_onyl: true } } })).toBe(false);
  });

  it("runs no process of the service before the migrations have ended", () => {
    const early = ours.filter(([name, it]) => name !== "migrate" && it.depends_on?.["migrate"] === undefined);
    expect(early.map(([name]) => name)).toEqual([]);
    for (const [, it] of ours)
      expect([undefined, "service_completed_successfully"]).toContain(it.depends_on?.["migrate"]?.condition);
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

  it("mounts only files that exist, for reading, and the folders of the backup", () => {
    const mounted = Object.entries(services).flatMap(([name, { volumes: all = [] }]) => all.map((it) => [name, it] as const));
    const written = mounted.filter(([, it]) => it.startsWith("./backup/")).map(([name, it]) => `${name} ${it.split(":")[0]}`);
    expect(written).toEqual([
      "postgres ./backup/database",
      "backup-database ./backup/database",
      "backup-objects ./backup/objects",
      "backup-owners ./backup/database",
      "backup-owners ./backup/objects",
    ]);
    const exists = (volume: string) => {
      const [source = ""] = volume.split(":");
      return source.startsWith(".") ? existsSync(join(repository, source)) && volume.endsWith(":ro") : source in volumes;
    };
    expect(mounted.filter(([, it]) => !it.startsWith("./backup/") && !exists(it))).toEqual([]);
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
});

describe("the configuration of the proxy", () => {
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
});

describe("the systemd unit", () => {
  const unit = readHere("scripts/deploy/plumbline@.service");

  itNeeds("systemd-analyze", "has no fault that systemd finds", async () => {
    await using folder = await temporaryFolder();
    // systemd checks that the program and the page exist.
    const file = join(folder.path, "plumbline@.service");
    writeFileSync(file, unit.replaceAll("/opt/plumbline", repository));
    const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
    const said = stderr.split("\n").filter((it) => it.includes("plumbline@"));
    expect({ stdout, said, status }).toEqual({ stdout: "", said: [], status: 0 });
  });
});
