import { readFileSync } from "node:fs";
import { generators } from "./generators.ts";
import { LESSONS, type Block } from "./page.ts";

const FENCES: Readonly<Record<string, string>> = {
  TypeScript: "ts",
  Python: "python",
  Go: "go",
  Java: "java",
  Kotlin: "kotlin",
  Rust: "rust",
  Ruby: "ruby",
  PHP: "php",
};

const LESSON_SOURCES = ["journey.ts", "since-1.1.0.ts", "since-1.2.0.ts"];

/** The parts of the journeys that the page shows. The page has only code that this test runs. */
export const excerpts = (): ReadonlyMap<Block, string> =>
  new Map<Block, string>([
    ["first lines", firstLines()],
    ...LESSONS.map((it) => [it, `\`\`\`ts\n${linesOf("typescript-openapi-fetch", LESSON_SOURCES, it)}\n\`\`\`\n`] as const),
  ]);

/** For each generator, the command that generates a client and the first lines that use it, from its journey. */
function firstLines(): string {
  return (
    generators
      .filter(({ sources }) => sources.length > 0)
      .map((it) =>
        [
          `**${it.name}**`,
          `\`\`\`sh\n${it.generate}\n\`\`\``,
          `\`\`\`${FENCES[it.language]}\n${linesOf(it.name, it.sources, "first lines")}\n\`\`\``,
        ].join("\n\n"),
      )
      .join("\n\n") + "\n"
  );
}

/** The lines between `begin` and `end` for a block. The files can have several. */
function linesOf(name: string, sources: readonly string[], block: Block): string {
  const text = sources.map((it) => readFileSync(new URL(`./${name}/${it}`, import.meta.url), "utf8")).join("\n");
  const regions = [...text.matchAll(/^[ \t]*(?:\/\/|#) begin: ([a-z ]+)\n(.*?)\n[ \t]*(?:\/\/|#) end$/gms)]
    .filter((it) => it[1] === block)
    .map((it) => outdented(it[2] ?? "").trim());
  if (regions.length === 0) throw new Error(`test/clients/${name} has no lines marked "${block}"`);
  return regions.join("\n\n");
}

function outdented(text: string): string {
  const margin = /^[ \t]*/.exec(text)?.[0] ?? "";
  return text
    .split("\n")
    .map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line))
    .join("\n");
}
