import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findCommand } from "../../support/commands.ts";
import { environmentOf, instructionsOf, readDockerfile, type Instruction, type Stage } from "./dockerfile.ts";
import { repository, run, type Running } from "../../support/processes.ts";

/** The files of the image, and its commands, without a container. */
export type Layout = Disposable & {
  /** The path of a file of the image, such as `/data`, in the file system of this machine. */
  path(inImage: string): string;
  /** Starts a command of the image, by default its CMD, as its user and with its environment. */
  start(environment: Readonly<Record<string, string>>, command?: readonly string[]): Running;
  readonly healthcheck: readonly string[];
  /** The command, as the user of the image. */
  asUser(command: readonly string[]): string[];
};

const isRoot = process.getuid?.() === 0;

/**
 * Follows the Dockerfile into a temporary folder: its COPY and RUN instructions, except those that install packages of
 * Debian. Then no file of the image can be written. If root runs the tests, the commands run as the user of the image.
 */
export function buildLayout(): Layout {
  const top = mkdtempSync(join(tmpdir(), "plumbline-image-"));
  chmodSync(top, 0o755);
  const { stages } = readDockerfile();
  const roots = new Map(stages.map((stage, index) => [stage, join(top, stage.name || `stage-${index}`)]));
  const rootOf = (name: string) => roots.get(stages.find((it) => it.name === name)!)!;
  const image = stages.at(-1)!;
  const node = join(roots.get(image)!, "usr/local/bin/node");
  mkdirSync(dirname(node), { recursive: true });
  copyFileSync(realpathSync(process.execPath), node);
  const PATH = [dirname(node), dirname(findCommand("npm")!), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  for (const stage of stages) follow(stage, roots.get(stage)!, { rootOf, PATH });
  const root = roots.get(image)!;
  execFileSync("chmod", ["-R", "a-w", join(root, "app")]);
  const user = userOf(image);
  const folder = workdirOf(image);
  return {
    path: (inImage) => join(root, inImage),
    start(environment, command = instructionsOf(image, "CMD")[0]!.words) {
      const [program = "", ...args] = command;
      const settings = { ...environmentOf(image), NODE_COMPILE_CACHE: "", RATE_LIMITS: "", LOG_LEVEL: "", PATH, ...environment };
      return run(settings, args, ["env", "--chdir", join(root, folder), ...asUser(user)], program === "node" ? node : program);
    },
    healthcheck: instructionsOf(image, "HEALTHCHECK")[0]!.words,
    asUser: (command) => [...asUser(user), ...command],
    [Symbol.dispose]() {
      execFileSync("chmod", ["-R", "u+w", top]);
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Only root can become another user. */
const asUser = (user: string | null): string[] =>
  isRoot && user !== null
    ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--bounding-set=-all", "--no-new-privs", "--"]
    : [];
const userOf = (stage: Stage): string | null => instructionsOf(stage, "USER").at(-1)?.text.split(":")[0] ?? null;
const workdirOf = (stage: Stage): string => instructionsOf(stage, "WORKDIR").at(-1)?.text ?? "/";

type World = { readonly rootOf: (stage: string) => string; readonly PATH: string };

function follow(stage: Stage, root: string, { rootOf, PATH }: World): void {
  let [folder, user]: [string, string | null] = [root, null];
  for (const it of stage.instructions) {
    if (it.name === "WORKDIR") mkdirSync((folder = join(root, it.text)), { recursive: true });
    else if (it.name === "USER") user = it.text.split(":")[0]!;
    else if (it.name === "COPY") copy(it, it.flags["from"] === undefined ? repository : rootOf(it.flags["from"]), folder);
    else if (it.name === "RUN" && !it.text.startsWith("apt-get ")) {
      const command = it.isExec ? it.words : ["/bin/sh", "-e", "-c", withoutRoot(it.text.replaceAll(" /data", ` ${root}/data`))];
      const [program = "", ...args] = [...asUser(user), ...command];
      execFileSync(program, args, {
        cwd: folder,
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, PATH, NODE_COMPILE_CACHE: "" },
      });
    }
  }
}

/** Copies as COPY does: the content of a folder, or a file into a folder. */
function copy({ words }: Instruction, from: string, folder: string): void {
  const sources = words.slice(0, -1);
  const target = words.at(-1)!;
  for (const source of sources) {
    const isFile = target === "./";
    cpSync(join(from, source), isFile ? join(folder, source) : join(folder, target), { recursive: true, verbatimSymlinks: true });
  }
}

/** An ordinary user can't give files to another one, and needs no such thing, because every command runs as that user. */
const withoutRoot = (text: string): string => (isRoot ? text : text.replaceAll(/ --(owner|group)=\d+/g, ""));
