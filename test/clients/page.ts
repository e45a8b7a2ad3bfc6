import { readFileSync, writeFileSync } from "node:fs";

const PAGE = new URL("../../openapi/CLIENTS.md", import.meta.url);
const END = "<!-- end -->";

/** The page for API consumers. The run writes its blocks between two marks each. */
export function readPage(): string {
  return readFileSync(PAGE, "utf8");
}

export function writePage(page: string): void {
  writeFileSync(PAGE, page);
}

export const LESSONS = [
  "how to retry",
  "how to page",
  "how to wait",
  "how to let it wait",
  "how to receive events",
  "how to show names",
  "how to show what is unread",
  "how to play",
] as const;
export type Block = "table" | "first lines" | (typeof LESSONS)[number];

/** The offsets at which the content of a block begins and ends in the page. */
function offsetsOf(page: string, block: Block): readonly [start: number, end: number] {
  const mark = `<!-- made by \`npm run test:clients -- --write\`: ${block} -->\n`;
  const at = page.indexOf(mark);
  const end = page.indexOf(END, at);
  if (at < 0 || end < 0) throw new Error(`openapi/CLIENTS.md has no marks for the block "${block}"`);
  return [at + mark.length, end];
}

export function blockIn(page: string, block: Block): string {
  return page.slice(...offsetsOf(page, block));
}

export function withBlock(page: string, block: Block, content: string): string {
  const [start, end] = offsetsOf(page, block);
  return page.slice(0, start) + content + page.slice(end);
}
