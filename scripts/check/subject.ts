import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { bundleContract } from "../contract/bundle.ts";
import { operationsOf, type Contract, type PlacedOperation } from "../contract/document.ts";

export const ROOT = join(import.meta.dirname, "../..");
export const OPENAPI = join(ROOT, "openapi");

/** The operation to check, and its files. */
export type Subject = PlacedOperation & {
  readonly id: string;
  readonly contract: Contract;
  /** The folder of its area under openapi/, src/ and test/. */
  readonly area: string;
  readonly contractFile: string;
  readonly testFile: string;
};

/** Finds an operation in openapi/, even if generated/ is outdated. The message of the error says where to begin. */
export async function findSubject(id: string): Promise<Subject> {
  const contract = await bundleContract(OPENAPI);
  const operations = operationsOf(contract);
  const placed = operations.find((it) => it.operation.operationId === id);
  if (placed === undefined)
    throw new Error(
      `No operation in openapi/ has the operationId "${id}". Describe it in a file of openapi/<area>/ and add its path to openapi/openapi.yaml.\nThe operations are: ${operations.map((it) => it.operation.operationId).join(", ")}.`,
    );
  const { paths } = parse(readFileSync(join(OPENAPI, "openapi.yaml"), "utf8")) as { paths: Record<string, { $ref: string }> };
  const file = paths[placed.path]!.$ref;
  const area = file.split("/")[0]!;
  return { ...placed, id, contract, area, contractFile: `openapi/${file}`, testFile: `test/${area}/${kebab(id)}.test.ts` };
}

const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
