export type CommandResult = { readonly exit: number | string; readonly stdout: string; readonly stderr: string };

/** What `process.exit` throws while a command runs in this process. */
class Exit extends Error {}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `plumbline` in this process, which has its modules already, with only these environment variables. Commands run
 * one after the other, because they share the output and the environment of the process.
 */
export function runHere(environment: Readonly<Record<string, string>>, args: readonly string[]): Promise<CommandResult> {
  const result = last.then(() => runAlone(environment, args));
  last = result.catch(() => undefined);
  return result;
}

async function runAlone(environment: Readonly<Record<string, string>>, args: readonly string[]): Promise<CommandResult> {
  const { runCli } = await import("../../scripts/cli.ts");
  await using stack = new AsyncDisposableStack();
  const { env, exit, exitCode } = process;
  stack.defer(() => void Object.assign(process, { env, exit, exitCode }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const before = process.listeners(signal);
    const added = () => process.listeners(signal).filter((it) => !before.includes(it));
    stack.defer(() => added().forEach((it) => process.off(signal, it)));
  }
  const end = (code?: number | string | null) => {
    process.exitCode = code ?? 0;
    throw new Exit();
  };
  Object.assign(process, { env: { ...environment }, exit: end, exitCode: undefined });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const { write, isTTY } = process[name];
    stack.defer(() => void Object.assign(process[name], { write, isTTY }));
    const collect = (text: string | Uint8Array, ...rest: unknown[]) => {
      output[name] += String(text);
      const written = rest.at(-1);
      if (typeof written === "function") process.nextTick(written);
      return true;
    };
    Object.assign(process[name], { write: collect, isTTY: false });
  }
  try {
    await runCli(args);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  return { exit: Number(process.exitCode ?? 0), ...output };
}
