import { print } from "../../src/util/command.ts";

const PAGE_SIZE = 500;

/** The part of a list to print: after an item, and at most so many. */
export type Position = { readonly after?: string | undefined; readonly limit?: number | undefined };

/** Prints items page by page, with constant memory. Returns their number. */
export async function printAll<Item extends { readonly id: string }>(
  find: (after: string | null, take: number) => Promise<readonly Item[]>,
  toLine: (item: Item) => string,
  { limit = Infinity, after: first }: Position,
): Promise<number> {
  let printed = 0;
  for (let after = first ?? null; printed < limit;) {
    const take = Math.min(PAGE_SIZE, limit - printed);
    const page = await find(after, take);
    for (const item of page) await print(toLine(item));
    printed += page.length;
    if (page.length < take) break;
    after = page.at(-1)!.id;
  }
  return printed;
}
