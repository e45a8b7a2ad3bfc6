import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { environment, run } from "./commands.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SECONDS_TO_START = 60;

export type User = { readonly userId: string; readonly apiKey: string };
export type RunningService = {
  readonly url: string;
  /** Creates a user with an API key by the user command. */
  addUser(name: string): Promise<User>;
  stop(): Promise<void>;
};

/** Starts the service as `npm start` does, as a separate process with its own data directory and without rate limits. */
export async function startService(): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), "plumbline-clients-"));
  const settings = { NODE_ENV: "test", DATA_DIR: dataDir, PORT: "0", RATE_LIMITS: "off", LOG_LEVEL: "warn" };
  const child = spawn(process.execPath, ["src/main.ts"], {
    cwd: ROOT,
    env: { ...environment, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (): boolean => child.kill("SIGTERM");
  process.once("exit", kill);
  const stop = async (): Promise<void> => {
    process.off("exit", kill);
    if (child.exitCode === null) {
      kill();
      await new Promise((resolve) => child.once("exit", resolve));
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await addressOf(child);
    return {
      url,
      stop,
      async addUser(name) {
        const { ok, output } = await run(
          `"${process.execPath}" scripts/user.ts add "${name}" --json`,
          ROOT,
          settings,
          SECONDS_TO_START,
        );
        if (!ok) throw new Error(output);
        const user = JSON.parse(output) as { user_id: string; api_key: string };
        return { userId: user.user_id, apiKey: user.api_key };
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The URL that the service prints. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The service did not start within ${SECONDS_TO_START} s.`)),
      1000 * SECONDS_TO_START,
    );
    child.once("exit", (code) => reject(new Error(`The service ended with ${code}.`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const url = /running at ([^\s"]+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}
