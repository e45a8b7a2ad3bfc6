import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { run, type CommandResult } from "./commands.ts";
import type { Generator } from "./generators.ts";
import { makeReleasedProgram, RELEASES, type ReleasedProgram } from "./released-program.ts";
import type { RunningService } from "./service.ts";
import type { Skip } from "./skip.ts";
import { STEPS, type Finding } from "./table.ts";

/** The limit for one generator, with all its clients. Most of it is for a compiler that also builds all dependencies. */
const SECONDS_AT_MOST = 1200;
const VIDEO = new URL("../../src/demo/clip.mp4", import.meta.url).pathname;

type Destination = Omit<RunningService, "stop">;
/**
 * The targets of the journeys: the service, with each kind of database, and a stand-in for the next minor version of the first.
 */
export type Destinations = {
  readonly services: readonly [Destination, ...Destination[]];
  readonly nextMinor: Destination;
  /** A receiver of webhooks, see `event-receiver.ts`. */
  readonly eventsUrl: string;
};

type Journey = { readonly steps: number; readonly notes: readonly string[] };
const NO_JOURNEY: Journey = { steps: 0, notes: [] };

/** Installs a generator, and runs the journeys with its clients of the current and the released versions. */
export async function tryOut(generator: Generator, { services, nextMinor, eventsUrl }: Destinations): Promise<Finding | Skip> {
  const { name } = generator;
  const folder = new URL(`./${name}/`, import.meta.url).pathname;
  await mkdir(`${folder}build`, { recursive: true });
  const attempt = new Attempt(generator, eventsUrl);
  // A failed download says nothing about the contract.
  if (!(await attempt.does("install", generator.install, folder)))
    return { reason: `SKIPPED ${name}: not installed`, isAccepted: false };
  const compiles = await attempt.makes(folder, services[0].url);
  const journey = compiles ? await attempt.travels("journey", folder, services, STEPS) : NO_JOURNEY;
  const later = compiles ? await attempt.travels("journey", folder, [nextMinor], STEPS) : NO_JOURNEY;
  const stepsReleased: number[] = [];
  for (const release of RELEASES) {
    const program = await makeReleasedProgram(generator, release);
    const old = (await attempt.makesReleased(program))
      ? await attempt.travels(`journey, client of ${release.version}`, program.folder, services, release.steps)
      : NO_JOURNEY;
    stepsReleased.push(old.steps);
  }
  return {
    generator,
    version: await versionOf(generator),
    compiles,
    steps: journey.steps,
    stepsNextMinor: later.steps,
    stepsReleased,
    notes: journey.notes,
  };
}

/** What happens with one generator, within its time. */
class Attempt {
  readonly #generator: Generator;
  readonly #eventsUrl: string;
  readonly #started = performance.now();

  constructor(generator: Generator, eventsUrl: string) {
    this.#generator = generator;
    this.#eventsUrl = eventsUrl;
  }

  async does(step: string, line: string, folder: string, settings: NodeJS.ProcessEnv = {}): Promise<boolean> {
    return (await this.#run(step, line, folder, settings)).ok;
  }

  /** Generates a client from the contract of the service, gets its module for receivers, and compiles the program. */
  async makes(folder: string, service: string): Promise<boolean> {
    const { generate, compile, receiver } = this.#generator;
    if (receiver !== undefined)
      await writeFile(`${folder}build/${receiver}`, await (await fetch(`${service}/docs/${receiver}`)).text());
    return (await this.does("generate", generate, folder, { API_URL: service })) && this.does("compile", compile, folder);
  }

  /** Does the same from the frozen contract. */
  async makesReleased({ version, folder, contract }: ReleasedProgram): Promise<boolean> {
    const { generate, compile, formerly } = this.#generator;
    return (
      (await this.does(`generate, ${version}`, generate, folder, { API_URL: contract })) &&
      this.does(`compile, ${version}`, formerly[version].compile ?? compile, folder)
    );
  }

  /** Runs a program against each of these services, and counts the steps that pass with all of them. */
  async travels(what: string, folder: string, services: Destinations["services"], steps: number): Promise<Journey> {
    const journeys: Journey[] = [];
    for (const it of services) journeys.push(await this.#travelsTo(it, `${what}${it.where}`, folder, steps));
    return { steps: Math.min(...journeys.map((it) => it.steps)), notes: journeys[0]!.notes };
  }

  /** Runs a program as a new user, and counts the steps that pass. */
  async #travelsTo({ url, colleague, addUser }: Destination, what: string, folder: string, steps: number): Promise<Journey> {
    const { apiKey } = await addUser(this.#generator.name);
    const { ok, output } = await this.#run(what, this.#generator.journey, folder, {
      ...{ API_URL: url, API_KEY: apiKey, VIDEO },
      ...{ COLLEAGUE_ID: colleague.userId, COLLEAGUE_KEY: colleague.apiKey, EVENTS_URL: `${this.#eventsUrl}/${randomUUID()}` },
    });
    const lines = output.split("\n");
    const passed = lines.filter((it) => /^ok \d+ /.test(it));
    for (const it of passed) this.#say(`        ${it}`);
    const count = new Set(passed.map((it) => it.split(" ")[1])).size;
    return {
      // A journey that fails after its last step is not complete.
      steps: ok ? count : Math.min(count, steps - 1),
      notes: lines.filter((it) => it.startsWith("note ")).map((it) => it.slice(5)),
    };
  }

  async #run(step: string, line: string, folder: string, settings: NodeJS.ProcessEnv): Promise<CommandResult> {
    const begun = performance.now();
    const outcome = await run(line, folder, settings, SECONDS_AT_MOST - (begun - this.#started) / 1000);
    if (!outcome.ok) this.#say(`FAILED  ${step}: ${line}\n${outcome.output.slice(-4000)}`);
    else this.#say(`ok      ${step} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    return outcome;
  }

  #say(text: string): void {
    console.log(`${this.#generator.name.padEnd(30)} ${text}`);
  }
}

/** The version that the manifest pins. */
async function versionOf({ name, tool, manifest }: Generator): Promise<string> {
  const text = await readFile(new URL(`./${name}/${manifest}`, import.meta.url), "utf8");
  const pinned = text
    .split("\n")
    .filter((line) => line.includes(tool))
    .map((line) => /\d+\.\d+\.\d+/.exec(line)?.[0])
    .find((it) => it !== undefined);
  if (pinned === undefined) throw new Error(`${name}/${manifest} pins no version of ${tool}`);
  return pinned;
}
