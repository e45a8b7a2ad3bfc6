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

/** The first example for the way in which the client pages, or null if any example fits. */
export function pageAskedFor(operation: Operation, query: Query, examples: ReadonlyMap<string, unknown>): string | null {
  const fits = (it: Listed) => {
    if (query["offset"] !== undefined) return typeof it.page.offset === "number";
    return isNext(operation, query) && it.page.next_cursor === null && typeof it.page.offset !== "number";
  };
  return [...examples].find(([, it]) => isListed(it) && fits(it))?.[0] ?? null;
}

/** The example as the requested page, so that paging ends and shows nothing twice. */
export function asPage(operation: Operation, query: Query, example: unknown): unknown {
  if (!isListed(example)) return example;
  const { data, page } = example;
  // There are never newer messages, because the mock stores nothing.
  if (operation.nextPageParameter === "before" && query["after"] !== undefined)
    return { ...example, data: [], page: { ...page, prev_cursor: query["after"], has_newer: false } };
  // An example with a next page is the page that the client already has.
  if (isNext(operation, query))
    return { ...example, data: page.next_cursor === null ? data : [], page: { ...page, next_cursor: null } };
  if (query["offset"] === undefined || typeof page.offset !== "number") return example;
  const offset = Number(query["offset"]);
  return { ...example, data: offset < (page.total ?? 0) ? data : [], page: { ...page, offset } };
}

const isListed = (it: unknown): it is Listed => Array.isArray((it as Partial<Listed> | undefined)?.data);

const isNext = ({ nextPageParameter }: Operation, query: Query) =>
  nextPageParameter !== null && query[nextPageParameter] !== undefined;
