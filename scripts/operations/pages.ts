import { print } from "../../src/util/command.ts";

const PAGE_SIZE = 500;

/** Prints items page by page, with constant memory. Returns their number. */
export async function printAll<Item extends { readonly id: string }>(
  find: (after: string | null, take: number) => Promise<readonly Item[]>,
  toLine: (item: Item) => string,
  { limit, after: first }: { readonly limit: number; readonly after: string | null },
): Promise<number> {
  let printed = 0;
  for (let after = first; printed < limit;) {
    const take = Math.min(PAGE_SIZE, limit - printed);
    const page = await find(after, take);
    for (const item of page) await print(toLine(item));
    printed += page.length;
    if (page.length < take) break;
    after = page.at(-1)!.id;
  }
  return printed;
}
