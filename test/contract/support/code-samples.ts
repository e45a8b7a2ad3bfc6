import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { resolve } from "../../../src/contract/bundle.ts";
import type { Operation } from "../../../src/contract/operations.ts";
import { contract, parametersOf, rawOperation } from "../../support/contract.ts";
import { exampleRequest, type Known } from "../../support/example-requests.ts";
import { BYTES, type Ids } from "../../support/resources.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;
const AT_ONCE = 4;

/** A sample that can run: it contains the ids of real resources. */
export type ReadySample = { readonly operation: Operation; readonly source: string };
export type SampleRun = { readonly operation: Operation; readonly output: string };
type Runner = (samples: readonly ReadySample[], folder: string, environment: NodeJS.ProcessEnv) => Promise<SampleRun[]>;

/** How to run the samples of a language, each as a separate program, and the command that this needs. */
export const RUNNERS: Readonly<Record<string, { readonly needs: string | null; readonly run: Runner }>> = {
  curl: { needs: "curl", run: each("sh", (name) => `${name}.sh`) },
  TypeScript: { needs: null, run: each(process.execPath, (name) => `${name}.mts`) },
  Python: { needs: "python3", run: each("python3", (name) => `${name}.py`) },
  Go: { needs: "go", run: runGo },
};

/** The sample with the ids of real resources, and a token that permits the request, instead of the examples in the contract. */
export function withRealValues(source: string, operation: Operation, ids: Ids, known: Known): string {
  const request = exampleRequest(operation, ids, known);
  const replacements = new Map<string, string>();
  for (const { name, in: location, example } of parametersOf(operation)) {
    const real = location === "header" ? request.headers[name] : ids.get(name);
    if (real !== undefined) replacements.set(String(example), real);
  }
  if (operation.body === "application/json") pairStrings(firstExample(operation), request.body, replacements);
  return [...replacements].reduce((text, [example, real]) => text.replaceAll(example, real), source);
}

function firstExample(operation: Operation): unknown {
  const { content } = resolve<{
    content: Readonly<Record<string, { examples: Readonly<Record<string, { readonly value: unknown }>> }>>;
  }>(contract, rawOperation(operation).requestBody!);
  return Object.values(content["application/json"]!.examples)[0]!.value;
}

function pairStrings(example: unknown, real: unknown, into: Map<string, string>): void {
  if (typeof example === "string" && typeof real === "string" && example !== real) into.set(example, real);
  if (typeof example !== "object" || example === null) return;
  for (const [key, value] of Object.entries(example)) pairStrings(value, (real as Readonly<Record<string, unknown>>)[key], into);
}

/** Writes the files that samples send into the folder in which they run. */
export async function provideFiles(folder: string): Promise<void> {
  await Promise.all(["clip.mp4", "rest-of-clip.mp4"].map((name) => writeFile(join(folder, name), BYTES)));
}

function each(command: string, fileName: (operationId: string) => string): Runner {
  return (samples, folder, environment) =>
    fewAtOnce(samples, async ({ operation, source }) => {
      const file = join(folder, fileName(operation.id));
      await writeFile(file, source);
      return { operation, output: await outputOf(command, [file], folder, environment) };
    });
}

async function fewAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  return results;
}

/** Builds all programs in one command, because each build takes long. */
async function runGo(samples: readonly ReadySample[], folder: string, environment: NodeJS.ProcessEnv): Promise<SampleRun[]> {
  await writeFile(join(folder, "go.mod"), "module samples\n\ngo 1.24\n");
  for (const { operation, source } of samples) {
    await mkdir(join(folder, operation.id.toLowerCase()));
    await writeFile(join(folder, operation.id.toLowerCase(), "main.go"), `${source}\n`);
  }
  await mkdir(join(folder, "bin"));
  // Without tables for a debugger, which take most of the time.
  await run("go", ["build", "-ldflags=-s -w", "-o", "bin/", "./..."], {
    cwd: folder,
    env: { ...environment, GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod", GOWORK: "off" },
  });
  return fewAtOnce(samples, async ({ operation }) => ({
    operation,
    output: await outputOf(join(folder, "bin", operation.id.toLowerCase()), [], folder, environment),
  }));
}

async function outputOf(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await run(command, args, { cwd, env, timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as { stdout?: string; stderr?: string; message: string };
    return `failed: ${message}\n${stdout}${stderr}`;
  }
}
