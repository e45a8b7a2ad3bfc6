import { writeFileSync } from "node:fs";
import { Converter } from "@apiture/openapi-down-convert";
import { resolve, type Contract } from "../../src/contract/bundle.ts";
import { runTool } from "./run-tool.ts";

type Node = { readonly [key: string]: unknown };

/**
 * Writes an edition of the contract in OpenAPI 3.0 for tools that read no 3.1, without webhooks and the summary of `info`. Fails if it
 * is not valid.
 */
export async function writeEdition30(contract: Omit<Contract, "webhooks">, file: string): Promise<void> {
  const { info, ...rest } = withNullables(contract, contract) as Node & { readonly info: Node };
  const { summary: _, ...described } = info;
  const converted = new Converter({ ...rest, info: described }, { allOfTransform: true }).convert();
  writeFileSync(file, JSON.stringify(converted, null, 2));
  await runTool("@redocly/cli", "redocly", ["lint", "--extends", "spec", file]);
}

/** In 3.0, a schema that can also be null has its type and is nullable, because there is no type for null. */
function withNullables(contract: Omit<Contract, "webhooks">, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((it) => withNullables(contract, it));
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withNullables(contract, value)]));
  const { oneOf, ...others } = copy;
  if (!Array.isArray(oneOf) || !oneOf.some(isNull)) return copy;
  const [schema, ...more] = (oneOf as Node[]).filter((it) => !isNull(it));
  if (schema === undefined || more.length > 0) throw new Error("A schema that can be null must have one alternative.");
  const { type } = resolve<Node>(contract, schema);
  return { ...others, type, nullable: true, allOf: [schema] };
}

const isNull = (schema: unknown) => typeof schema === "object" && (schema as Node | null)?.["type"] === "null";
