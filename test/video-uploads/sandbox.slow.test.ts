import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { findEngine } from "../../src/media/engine.ts";
import { createDeployment } from "../support/deployment.ts";
import { itNeeds } from "../support/needs.ts";
import { linesIn, run } from "../support/processes.ts";
import { finished, smallClip, upload } from "../support/videos.ts";

/** Words that precede a command to run it without this tool. Needs the right to mount. */
const worldWithout = (tool: string): readonly string[] => [
  ..."unshare --mount -- sh -c".split(" "),
  `mount --bind /dev/null "$(readlink -f "$(command -v ${tool})")" && exec "$0" "$@"`,
];

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

/** Starts a worker, processes a video, and returns the worker with what its tools reported. */
async function workWith(settings: Readonly<Record<string, string>>, within?: readonly string[]) {
  await using deployment = await createDeployment();
  // Every user can open this folder, so the modes of its contents must protect them.
  await chmod(deployment.dataDir, 0o755);
  await using ffmpeg = await tellingFfmpeg(deployment.dataDir);
  await deployment.start("api");
  const ada = await deployment.as();
  const job = await upload(ada, await smallClip());
  const { databaseUrl, dataDir } = deployment;
  const of = { ROLE: "worker", DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: "info", FFMPEG_PATH: ffmpeg.path };
  await using worker = run({ NODE_ENV: "test", ...of, ...settings }, undefined, within);
  await worker.ready();
  expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
  return { lines: linesIn(worker.stdout()), reports: await ffmpeg.reports() };
}

itNeeds(["root", "ffmpeg", "setpriv"], "ffmpeg runs not as root, has no rights, and can read only its upload", async () => {
  const { reports } = await workWith({});
  expect(new Set(reports.map((it) => it.tool))).toEqual(new Set(["ffmpeg", "ffprobe"]));
  for (const { reads, writes, status } of reports) {
    expect({ reads, writes }).toEqual({ reads: ["original"], writes: [] });
    expect(status).toMatchObject({ ...NO_CAPABILITIES, CapBnd: "0".repeat(16), NoNewPrivs: "1", Groups: "" });
    for (const ids of [status["Uid"], status["Gid"]]) expect(new Set(ids!.split("\t"))).toEqual(new Set(["65534"]));
  }
});

itNeeds(["mount", "ffmpeg"], "ffmpeg runs not as root even if setpriv is missing, which a worker logs", async () => {
  const { lines, reports } = await workWith({}, worldWithout("setpriv"));
  const lacking = expect.arrayContaining([expect.stringContaining("prlimit"), expect.stringContaining("setpriv")]);
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, sandbox_lacks: lacking }));
  for (const { status } of reports)
    expect(status).toMatchObject({ ...NO_CAPABILITIES, Groups: "", Uid: "65534\t65534\t65534\t65534" });
});

itNeeds(["ordinary user", "ffmpeg", "setpriv"], "ffmpeg has no capabilities if an ordinary user runs the service", async () => {
  const { reports } = await workWith({});
  for (const { status } of reports) expect(status).toMatchObject({ ...NO_CAPABILITIES, NoNewPrivs: "1" });
});

itNeeds("ffmpeg", "a worker finds ffmpeg in the usual folders if PATH is empty, and logs it with its sandbox", async () => {
  await using deployment = await createDeployment();
  const worker = await deployment.start("worker", { LOG_LEVEL: "info", PATH: "" });
  const { description: engine, sandbox } = findEngine({ mode: "native" });
  const level = sandbox.prlimit === null ? 40 : 30;
  expect(linesIn(worker.stdout())).toContainEqual(expect.objectContaining({ level, engine, sandbox: sandbox.active }));
});

itNeeds("root", "the WebAssembly engine runs not as root", () => {
  expect(findEngine({ mode: "wasm" }).sandbox.active).toContain("not as root, and without capabilities");
});
