import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { findEngine } from "../../src/media/engine.ts";
import { createDeployment } from "../support/deployment.ts";
import { run } from "../support/running.ts";
import { finished, smallClip, upload } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

const LEVELS = { info: 30, warn: 40 };

/** Words that precede a command to run it without this tool. Needs the right to mount. */
const worldWithout = (tool: string): readonly string[] => [
  "unshare",
  "--mount",
  "--",
  "sh",
  "-c",
  `mount --bind /dev/null "$(readlink -f "$(command -v ${tool})")" && exec "$0" "$@"`,
];

const linesOf = (stdout: string) =>
  stdout
    .split("\n")
    .filter((it) => it.startsWith("{"))
    .map((it) => JSON.parse(it) as Record<string, unknown>);

it("a worker logs its engine and sandbox at startup", async () => {
  await using deployment = await createDeployment();
  const worker = await deployment.start("worker", { LOG_LEVEL: "info" });
  const { description, sandbox } = findEngine({ mode: "auto", searchPath: process.env["PATH"] });
  expect(linesOf(worker.stdout())).toContainEqual(
    expect.objectContaining({
      level: sandbox.prlimit !== null ? LEVELS.info : LEVELS.warn,
      engine: description,
      sandbox: sandbox.active,
    }),
  );
});

itNeeds(
  "mount",
  "a worker logs a warning with the missing sandbox limits at startup, and still processes videos",
  async () => {
    const within = worldWithout("setpriv");
    await using deployment = await createDeployment();
    await deployment.start("api");
    const ada = await deployment.as();
    const job = await upload(ada, await smallClip());
    await using worker = run(
      { NODE_ENV: "test", ROLE: "worker", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir, LOG_LEVEL: "info" },
      undefined,
      within,
    );
    await worker.ready();
    const missing = [expect.stringContaining("prlimit"), expect.stringContaining("setpriv")];
    expect(linesOf(worker.stdout())).toContainEqual(
      expect.objectContaining({ level: LEVELS.warn, sandbox_lacks: expect.arrayContaining(missing) }),
    );
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
  },
  120_000,
);

/** The real ffmpeg and ffprobe behind scripts that first report their user and the files that they can access. */
async function tellingFfmpeg(dataDir: string) {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-telling-"));
  const real = findEngine({ mode: "native" }).description.replace(/^native /, "");
  for (const tool of ["ffmpeg", "ffprobe"]) {
    const script = `#!/bin/sh
if [ -e ../original ] || [ -e original ]; then
  {
    echo "tool: ${tool}"
    grep -E '^(Uid|Gid|Groups|Cap...|NoNewPrivs):' /proc/$$/status
    [ -e original ] && beside=original || beside=../original
    cat $beside >/dev/null && echo "reads: original"
    (: >>$beside) 2>/dev/null && echo "writes: original"
    (: >$(dirname $beside)/intruder) 2>/dev/null && echo "writes: beside the original"
    ls $(dirname $beside)/.. >/dev/null 2>&1 && echo "reads: the others' scratch"
    find ${dataDir} -type f -readable 2>/dev/null | sed 's/^/reads: /'
    find ${dataDir} -writable 2>/dev/null | sed 's/^/writes: /'
  } >${folder}/report.$$
fi
exec ${join(real, "..", tool)} "$@"
`;
    await writeFile(join(folder, tool), script);
    await chmod(join(folder, tool), 0o755);
  }
  await chmod(folder, 0o777);
  return {
    path: join(folder, "ffmpeg"),
    async reports() {
      const names = (await readdir(folder)).filter((it) => it.startsWith("report."));
      const texts = await Promise.all(names.map((it) => readFile(join(folder, it), "utf8")));
      return texts.map((text) => {
        const lines = text
          .trim()
          .split("\n")
          .map((it) => it.split(/:\s*/, 2) as [string, string]);
        const all = (name: string) => lines.filter((it) => it[0] === name).map((it) => it[1].trim());
        return { tool: all("tool")[0], reads: all("reads"), writes: all("writes"), status: Object.fromEntries(lines) };
      });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const NO_CAPABILITIES = Object.fromEntries(["CapInh", "CapPrm", "CapEff", "CapAmb"].map((it) => [it, "0".repeat(16)]));

itNeeds(
  ["root", "ffmpeg", "setpriv"],
  "ffmpeg runs as a user other than root, without capabilities, and can read only its upload",
  async () => {
    await using deployment = await createDeployment();
    // Every user can open this folder, so the modes of its contents must protect them.
    await chmod(deployment.dataDir, 0o755);
    await using ffmpeg = await tellingFfmpeg(deployment.dataDir);
    await deployment.start("all", { FFMPEG_PATH: ffmpeg.path });
    const ada = await deployment.as();
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded", attempt: 1 });
    const reports = await ffmpeg.reports();
    expect(new Set(reports.map((it) => it.tool))).toEqual(new Set(["ffmpeg", "ffprobe"]));
    for (const { reads, writes, status } of reports) {
      expect({ reads, writes }).toEqual({ reads: ["original"], writes: [] });
      expect(status).toMatchObject({ ...NO_CAPABILITIES, CapBnd: "0".repeat(16), NoNewPrivs: "1", Groups: "" });
      for (const ids of [status["Uid"], status["Gid"]]) expect(new Set(ids!.split("\t"))).toEqual(new Set(["65534"]));
    }
  },
  120_000,
);

itNeeds(
  ["mount", "ffmpeg"],
  "ffmpeg runs as a user other than root even if setpriv is missing",
  async () => {
    await using deployment = await createDeployment();
    await using ffmpeg = await tellingFfmpeg(deployment.dataDir);
    await deployment.start("api");
    const ada = await deployment.as();
    const job = await upload(ada, await smallClip());
    await using worker = run(
      {
        NODE_ENV: "test",
        ROLE: "worker",
        DATABASE_URL: deployment.databaseUrl,
        DATA_DIR: deployment.dataDir,
        FFMPEG_PATH: ffmpeg.path,
      },
      undefined,
      worldWithout("setpriv"),
    );
    await worker.ready();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    for (const { status } of await ffmpeg.reports()) {
      expect(status).toMatchObject({ ...NO_CAPABILITIES, Groups: "" });
      expect(status["Uid"]).toBe("65534\t65534\t65534\t65534");
    }
  },
  120_000,
);

itNeeds(
  ["ordinary user", "ffmpeg", "setpriv"],
  "ffmpeg has no capabilities if the service runs as an ordinary user",
  async () => {
    await using deployment = await createDeployment();
    await using ffmpeg = await tellingFfmpeg(deployment.dataDir);
    await deployment.start("all", { FFMPEG_PATH: ffmpeg.path });
    const ada = await deployment.as();
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded", attempt: 1 });
    for (const { status } of await ffmpeg.reports()) expect(status).toMatchObject({ ...NO_CAPABILITIES, NoNewPrivs: "1" });
  },
);

itNeeds(
  "root",
  "the WebAssembly engine runs as a user other than root",
  async () => {
    const { sandbox } = findEngine({ mode: "wasm" });
    expect(sandbox.active).toContain("not as root, and without capabilities");
    await using deployment = await createDeployment();
    await deployment.start("all", { MEDIA_ENGINE: "wasm" });
    const ada = await deployment.as();
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded", attempt: 1 });
  },
  120_000,
);

itNeeds("ffmpeg", "a worker finds ffmpeg in the usual folders if PATH is empty", async () => {
  await using deployment = await createDeployment();
  const worker = await deployment.start("worker", { LOG_LEVEL: "info", PATH: "" });
  const { description } = findEngine({ mode: "native" });
  expect(linesOf(worker.stdout())).toContainEqual(expect.objectContaining({ engine: description }));
});
