import { contract } from "./contract.ts";

/** The text in one line: how the contract wraps its lines doesn't count. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

function* descriptions(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === "description" && typeof child === "string") yield oneLine(child);
    else yield* descriptions(child);
  }
}

const texts = [...descriptions(contract)];

/** A sentence of a description in the contract, word for word, as the title of the test that checks it. */
export function sentence(text: string): string {
  if (texts.some((it) => it.includes(text))) return text;
  throw new Error(`The contract doesn't say this any more: change the test and its title. "${text}"`);
}
