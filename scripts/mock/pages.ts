import type { Operation } from "../../src/contract/operations.ts";

type Page = {
  readonly limit: number;
  readonly next_cursor: string | null;
  readonly prev_cursor?: string;
  readonly offset?: number | null;
  readonly total?: number | null;
};
type Listed = { readonly data: readonly unknown[]; readonly page: Page };
type Query = Readonly<Record<string, unknown>>;

/** The first example of the way in which the client pages, or null when that is the first of all. */
export function pageAskedFor(operation: Operation, query: Query, examples: ReadonlyMap<string, unknown>): string | null {
  const fits = (it: Listed) => {
    if (query["offset"] !== undefined) return typeof it.page.offset === "number";
    return isNext(operation, query) && it.page.next_cursor === null && typeof it.page.offset !== "number";
  };
  return [...examples].find(([, it]) => isListed(it) && fits(it))?.[0] ?? null;
}

/** The example as the page that was asked for, so that no way of paging goes on for ever or shows anything twice. */
export function asPage(operation: Operation, query: Query, example: unknown): unknown {
  if (!isListed(example)) return example;
  const { data, page } = example;
  // Towards the present there is never anything new: what is sent to the mock is not kept.
  if (operation.nextPageParameter === "before" && query["after"] !== undefined)
    return { ...example, data: [], page: { ...page, prev_cursor: query["after"], has_newer: false } };
  // An example that goes on is the page that the client has read already.
  if (isNext(operation, query))
    return { ...example, data: page.next_cursor === null ? data : [], page: { ...page, next_cursor: null } };
  if (query["offset"] === undefined || typeof page.offset !== "number") return example;
  const offset = Number(query["offset"]);
  return { ...example, data: offset < (page.total ?? 0) ? data : [], page: { ...page, offset } };
}

const isListed = (it: unknown): it is Listed => Array.isArray((it as Partial<Listed> | undefined)?.data);

const isNext = ({ nextPageParameter }: Operation, query: Query) =>
  nextPageParameter !== null && query[nextPageParameter] !== undefined;
