import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/**
 * The environment of every command. The folder of this Node is first on PATH, because npm and the generators start `node`
 * from there.
 */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
  npm_config_loglevel: "error",
  // npx runs only what is installed.
  npm_config_yes: "false",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
};

export type CommandResult = { readonly ok: boolean; readonly output: string };

/** Runs a shell command in a folder and waits for it. After `seconds`, ends it with all its child processes. */
export function run(line: string, folder: string, settings: NodeJS.ProcessEnv, seconds: number): Promise<CommandResult> {
  // Its own process group, so that a timeout also ends the compiler that the command has started.
  const child = spawn("sh", ["-c", line], {
    cwd: folder,
    env: { ...environment, ...settings },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Ctrl-C reaches only the process group of the terminal.
  const end = (): void => endGroup(child.pid);
  process.once("exit", end);
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  const timer = setTimeout(() => {
    output += `\nended after ${Math.round(seconds)} s: ${line}`;
    end();
  }, 1000 * seconds);
  return new Promise((resolve) => {
    child.on("error", (error) => {
      output += error.message;
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      process.off("exit", end);
      resolve({ ok: code === 0, output });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** The first of these programs that is not on PATH. */
export function missingProgram(programs: readonly string[]): string | undefined {
  return programs.find(
    (program) => !(environment["PATH"] ?? "").split(delimiter).some((folder) => isExecutable(join(folder, program))),
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
