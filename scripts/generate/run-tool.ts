import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { StartupError } from "../../src/util/startup-error.ts";

const require = createRequire(import.meta.url);

const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
  CHECKPOINT_DISABLE: "1",
  PRISMA_HIDE_UPDATE_MESSAGE: "1",
  // Generating needs no engine, but Prisma downloads one unless this names an existing file.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
};

/** A failed tool, with its output as message. */
export class ToolError extends StartupError {
  override readonly name = "ToolError";
}

/** Runs a command of an installed package with this Node, without telemetry. Throws a ToolError if it fails. */
export async function runTool(packageName: string, command: string, options: readonly string[]): Promise<void> {
  const manifest = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  try {
    await promisify(execFile)(process.execPath, [join(dirname(manifest), bin[command]!), ...options], {
      env: ENVIRONMENT,
      maxBuffer: 64 * 2 ** 20,
    });
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    throw new ToolError([`${command} ${options[0]} failed.`, stdout, stderr].filter(Boolean).join("\n") || message, {
      cause: error,
    });
  }
}
