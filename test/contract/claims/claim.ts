import { contract } from "../../support/contract.ts";
import type { Answer, Client } from "../../support/client.ts";

/** The running service that claims are checked against. */
export type Fixture = {
  readonly url: string;
  /** Creates a user, with all scopes or with these. */
  as(scopes?: readonly string[]): Promise<Client>;
  readonly anonymous: Client;
};

/** Sentences of the contract, word for word. Each is checked against the service. */
export type Claims = Readonly<Record<string, (fixture: Fixture) => Promise<void>>>;

/** The text in one line. The signs of lists and of wrapped lines don't count. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

function* descriptions(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (key === "description" && typeof child === "string") yield oneLine(child);
    else yield* descriptions(child);
  }
}

const texts = [...descriptions(contract)];

/** Whether the contract says this, so that a claim and its test can't drift apart. */
export const isInContract = (sentence: string): boolean => texts.some((it) => it.includes(oneLine(sentence)));

/** The status, with the code of a problem. */
export const outcome = ({ status, body }: Answer): string => (status < 400 ? String(status) : `${status} ${body.code}`);

/** An id of the right form that belongs to nothing. */
export const UNKNOWN = "01a1ef8f-34ae-7320-b9dd-21e52cd55fff";

export const header = (name: string, value: string) => ({ headers: { [name]: value } });
