import { escaped, operationsOf, resolve, type Contract, type Json, type OperationEntry } from "./document.ts";
import { referencesOf } from "./direction.ts";

/** Whether a part can change in a minor version (COMPATIBILITY.md, section 9). */
const isExperimental = (node: Json): boolean => node["x-stability"] === "experimental";

type Marks = { readonly experimental: ReadonlySet<string>; readonly stable: ReadonlySet<string> };

/**
 * Both contracts without experimental parts. A newly experimental part stays, so that it is reported as breaking; a newly stable
 * one is removed from both.
 */
export function withoutExperimental(base: Contract, revision: Contract): readonly [base: Contract, revision: Contract] {
  const [before, after] = [marksOf(base), marksOf(revision)];
  const isPromoted = (key: string) => before.experimental.has(key) && !key.startsWith("parameter ");
  return [
    without(base, (key) => before.experimental.has(key)),
    without(revision, (key) => (after.experimental.has(key) ? !before.stable.has(key) : isPromoted(key))),
  ];
}

/** The operations, parameters and responses of a contract by name, experimental or stable. */
function marksOf(contract: Contract): Marks {
  const [experimental, stable] = [new Set<string>(), new Set<string>()];
  const sort = (key: string, node: Json) => (isExperimental(node) ? experimental : stable).add(key);
  for (const entry of operationsOf(contract)) {
    sort(operationKey(entry), entry.operation);
    for (const it of entry.operation.parameters ?? []) sort(parameterKey(contract, entry, it), resolve(contract, it));
    for (const [status, it] of Object.entries(entry.operation.responses)) sort(responseKey(entry, status), resolve(contract, it));
  }
  return { experimental, stable };
}

const operationKey = ({ operation }: OperationEntry) => `operation ${operation.operationId}`;
const responseKey = ({ operation }: OperationEntry, status: string) => `response ${operation.operationId} ${status}`;
function parameterKey(contract: Contract, { operation }: OperationEntry, parameter: Json): string {
  const { in: location, name } = resolve(contract, parameter);
  return `parameter ${operation.operationId} ${String(location)} ${String(name)}`;
}

function without(contract: Contract, isLeftOut: (key: string) => boolean): Contract {
  const paths: Record<string, Record<string, unknown>> = structuredClone(contract.paths);
  for (const entry of operationsOf(contract)) {
    const { path, method, operation } = entry;
    const item = paths[path]!;
    if (isLeftOut(operationKey(entry))) delete item[method];
    else
      item[method] = {
        ...operation,
        ...(operation.parameters && {
          parameters: operation.parameters.filter((it) => !isLeftOut(parameterKey(contract, entry, it))),
        }),
        responses: Object.fromEntries(
          Object.entries(operation.responses).filter(([status]) => !isLeftOut(responseKey(entry, status))),
        ),
      };
    if (operationsOf({ ...contract, paths: { [path]: item } }).length === 0) delete paths[path];
  }
  const rest = { ...contract, paths };
  const [before, after] = [contract, rest].map((it) => referencesOf(it, it.paths)) as [ReadonlySet<string>, ReadonlySet<string>];
  const isLeft = (reference: string) => !before.has(reference) || after.has(reference);
  // Components that only removed parts use are removed, too. Unused components stay.
  const components = Object.entries(contract.components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => isLeft(`#/components/${kind}/${escaped(name)}`))),
  ]);
  return { ...rest, components: Object.fromEntries(components) as Contract["components"] };
}
