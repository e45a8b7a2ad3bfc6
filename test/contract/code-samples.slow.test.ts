import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { SAMPLE_LANGUAGES } from "../../scripts/generate/samples/code-samples.ts";
import { sendsBytes, type Operation } from "../../src/contract/operations.ts";
import { provideFiles, RUNNERS, withRealValues, type ReadySample } from "./support/code-samples.ts";
import { findOperation, operations, parametersOf, rawOperation } from "../support/contract.ts";
import { openConversation } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { publishedOperations } from "./support/reference-page.ts";
import { createResources, gather, type Ids, type People } from "../support/resources.ts";
import { startTestService } from "../support/service.ts";
import { temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { sized } from "../support/size.ts";

/** How a sample is written: it follows from these parts of an operation. */
const shapeOf = (it: Operation) =>
  JSON.stringify([
    it.method,
    it.body,
    it.produces,
    it.scopes === null,
    parametersOf(it)
      .filter((of) => of.required)
      .map((of) => of.in),
  ]);
/** One operation of each shape: to start or build a program takes long. */
const examined = sized([...new Map(operations.map((it) => [shapeOf(it), it])).values()], operations);
const published = new Map(publishedOperations().map((it) => [it.operationId, it]));
const sourceOf = (operation: Operation, language: string) =>
  published.get(operation.id)?.["x-codeSamples"].find((it) => it.lang === language)?.source;

describe("the code samples on the reference page", () => {
  const service = prepare(() => startTestService());
  const people = prepare(() => gather(service));
  const processed = prepare(() => processedVideo(people));
  /** A user can have ten endpoints, so that operations share one unless they change it. */
  const endpoint = prepare(() => createResources(findOperation("GET", "/webhook-endpoints/{endpoint_id}")!, people));
  const folder = prepare(temporaryFolder);

  it("exist in every language for every operation", () => {
    const missing = operations.flatMap((operation) =>
      SAMPLE_LANGUAGES.filter((it) => !sourceOf(operation, it)).map((it) => `${operation.id}: ${it}`),
    );
    expect(missing).toEqual([]);
  });

  it("have an idempotency key of their own, so that they are no retry of another sample", () => {
    const exampleKey = String(operations.flatMap((it) => parametersOf(it)).find((it) => it.name === "Idempotency-Key")!.example);
    const constant = operations.flatMap((operation) =>
      SAMPLE_LANGUAGES.filter((it) => sourceOf(operation, it)!.includes(exampleKey)).map((it) => `${operation.id}: ${it}`),
    );
    expect(constant).toEqual([]);
  });

  describe.each(SAMPLE_LANGUAGES)("in %s", (language) => {
    const { needs, run } = RUNNERS[language]!;
    itNeeds(
      needs ?? [],
      "run unchanged, and each gets a success that its operation declares",
      async () => {
        const known = await knownTo(people);
        const samples: ReadySample[] = [];
        for (const operation of examined) {
          const shared = ["get", "post"].includes(operation.method) ? [...endpoint] : [];
          const ids = await createResources(operation, people, new Map([...shared, ...(sendsBytes(operation) ? processed : [])]));
          samples.push({ operation, source: withRealValues(sourceOf(operation, language)!, operation, ids, known) });
        }
        const workingFolder = join(folder.path, language);
        await mkdir(workingFolder);
        await provideFiles(workingFolder);
        const environment = { ...process.env, API: service.url, KEY: people.owner.authorization!.replace("Bearer ", "") };
        const outcomes = await run(samples, workingFolder, environment);
        const { body } = await people.owner("GET", "/webhook-endpoints");
        const others = body.data.filter((it: { id: string }) => it.id !== endpoint.get("endpoint_id"));
        for (const { id } of others) await people.owner("DELETE", `/webhook-endpoints/${id}`);
        expect(
          outcomes
            .filter(({ operation, output }) => !declaredSuccesses(operation).includes(statusIn(output)))
            .map(({ operation, output }) => `${operation.id}: ${output}`),
        ).toEqual([]);
      },
      900_000,
    );
  });

  it("compile in strict TypeScript", () => {
    const files = new Map(operations.map((it) => [`/samples/${it.id}.mts`, sourceOf(it, "TypeScript")!]));
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      // They are those of packages.
      skipLibCheck: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      types: ["node"],
      typeRoots: [new URL("../../node_modules/@types", import.meta.url).pathname],
    };
    const host = ts.createCompilerHost(options);
    const [read, exists] = [host.getSourceFile.bind(host), host.fileExists.bind(host)];
    host.fileExists = (name) => files.has(name) || exists(name);
    host.getSourceFile = (name, version) =>
      files.has(name) ? ts.createSourceFile(name, files.get(name)!, version) : read(name, version);
    const flaws = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
    expect(flaws.map((it) => `${it.file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(it.messageText, "\n")}`)).toEqual([]);
  });
});

const declaredSuccesses = (operation: Operation) =>
  Object.keys(rawOperation(operation).responses).filter((it) => /^[23]/.test(it) && it !== "304");

/** The last status, because curl prints an interim response first. */
const statusIn = (output: string) => [...output.matchAll(/^(?:HTTP\/[\d.]+ )?(\d{3})\b/gm)].at(-1)?.[1] ?? "";

/** Only a real video that was processed has a poster and renditions. */
async function processedVideo({ owner }: People): Promise<Ids> {
  const clip = await readFile(new URL("../../src/demo/clip.mp4", import.meta.url));
  const { body } = await owner("POST", "/video-uploads", clip);
  const job = await eventually(
    "the processed video",
    async () => {
      const answer = await owner("GET", `/video-uploads/${body.id}`);
      return answer.body.status === "succeeded" && answer.body;
    },
    300_000,
    200,
  );
  const name = job.result.renditions[0].href.split("/").at(-1) as string;
  return new Map([
    ["job_id", job.id],
    ["name", name],
    ["file", `${name}.mp4`],
  ]);
}

async function knownTo({ owner, guest }: People) {
  await openConversation(guest, [owner]);
  const { body } = await owner("GET", "/notifications?limit=1");
  return { userId: guest.userId, seen: body.seen as string };
}
