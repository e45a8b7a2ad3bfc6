import type { Body } from "../client.ts";

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const CURSOR = /("(?:next_cursor|prev_cursor|seen)":)"[^"]+"/g;
/** The health names the version of the contract, which rises without it: `get-health.test.ts` compares it with `API-Version`. */
const VERSION = /("version":)"\d+\.\d+\.\d+"/g;
/** What is measured on a file, and how far a running job is. */
const MEASURED = /("(?:size_bytes|duration_ms)":)\d+|("sha256":)"\w+"|("percent":)(?!0,|100,)\d+/g;
const GENERATED_ID = /"id":"(\w{8})"/g;

/**
 * An answer without what is of its moment, so that two can be compared. What stood at several places still does, as the
 * same placeholder: so an id and the address made of it, and two equal instants, have to agree. Where instants are
 * ranked, their order has to agree too.
 */
export function withPlaceholders(answer: Body, { ranked }: { ranked: boolean }): Body {
  const text = JSON.stringify(answer)
    .replaceAll(CURSOR, '$1"cursor"')
    .replaceAll(VERSION, '$1"version"')
    .replaceAll(MEASURED, '$1$2$3"measured"');
  const instants = unique(text.match(INSTANT)).sort();
  const ids = unique([...(text.match(UUID) ?? []), ...[...text.matchAll(GENERATED_ID)].map((it) => it[1]!)]);
  const named = ids.reduce((it, id, index) => it.replaceAll(id, `id ${index}`), text);
  return JSON.parse(
    instants.reduce((it, instant, index) => it.replaceAll(instant, ranked ? `instant ${index}` : "instant"), named),
  );
}

const unique = (texts: readonly string[] | null): string[] => [...new Set(texts ?? [])];
