import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { bundleContract } from "../contract/bundle.ts";
import { operationsOf, type Contract, type OperationEntry } from "../contract/document.ts";

export const ROOT = join(import.meta.dirname, "../..");
export const OPENAPI = join(ROOT, "openapi");

/** The operation to check, and its files. */
export type Subject = OperationEntry & {
  readonly id: string;
  readonly contract: Contract;
  /** The folder of its area under openapi/, src/ and test/. */
  readonly area: string;
  readonly contractFile: string;
  /** The file of its tests, or the folder of the tests of the area. */
  readonly tests: string;
};

/** One operation, or all operations of an area. */
export type Selection = { readonly operation: string } | { readonly area: string };

/** Finds operations in openapi/, even if generated/ is outdated. The error for an unknown one explains how to begin. */
export async function findSubjects(selection: Selection): Promise<readonly [Subject, ...Subject[]]> {
  const contract = await bundleContract(OPENAPI);
  const { paths } = parse(readFileSync(join(OPENAPI, "openapi.yaml"), "utf8")) as { paths: Record<string, { $ref: string }> };
  const all = operationsOf(contract).map((entry): Subject => {
    const [id, file] = [entry.operation.operationId, paths[entry.path]!.$ref];
    const area = file.split("/")[0]!;
    const tests = "area" in selection ? `test/${area}` : `test/${area}/${kebab(id)}.test.ts`;
    return { ...entry, id, contract, area, contractFile: `openapi/${file}`, tests };
  });
  const [first, ...others] = all.filter((it) =>
    "area" in selection ? it.area === selection.area : it.id === selection.operation,
  );
  if (first !== undefined) return [first, ...others];
  throw new Error(
    "area" in selection
      ? `No path in openapi/openapi.yaml is in openapi/${selection.area}/. Describe the operations in files of that folder, with the area in about.md. Add their paths and a tag to openapi/openapi.yaml. The shortest area to copy from is openapi/posts/.`
      : `No operation in openapi/ has the operationId "${selection.operation}". Describe it in a file of openapi/<area>/ and add its path to openapi/openapi.yaml.\nThe operations are: ${all.map((it) => it.id).join(", ")}.`,
  );
}

const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
