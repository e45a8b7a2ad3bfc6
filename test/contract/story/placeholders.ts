import { UUID_PATTERN } from "../../../src/util/uuid.ts";
import type { Body } from "../../support/client.ts";

const UUID = new RegExp(UUID_PATTERN, "g");
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const DAY = /(?<=")\d{4}-\d\d-\d\d(?=")/g;
const CURSOR = /("(?:next_cursor|prev_cursor|seen)":)"[^"]+"/g;
const LINK_TOKEN = /(\?token=)[\w-]+/g;
/** The random part of the secret of a webhook endpoint, not its form. */
const WEBHOOK_SECRET = /("secret":"whsec_)[A-Za-z0-9+/]{43}=/g;
/** The version of the service in the health response. It changes independently of the example. */
const VERSION = /("service_version":)"\d+\.\d+\.\d+"/g;
/** Values measured on a file, and the progress of a running job. */
const MEASURED = /("(?:size_bytes|duration_ms)":)\d+|("sha256":)"\w+"|("percent":)(?!0,|100,)\d+/g;
const GENERATED_ID = /"id":"(\w{8})"/g;

/**
 * A response with placeholders for values that differ each time, so that two responses can be compared. Equal values get
 * the same placeholder, so ids must match the URLs that contain them, and equal timestamps must be equal in both. If
 * timestamps are ranked, their order must match too.
 */
export function withPlaceholders(answer: Body, { ranked }: { ranked: boolean }): Body {
  const text = JSON.stringify(answer)
    .replaceAll(VERSION, '$1"version"')
    .replaceAll(CURSOR, '$1"cursor"')
    .replaceAll(LINK_TOKEN, "$1token")
    .replaceAll(WEBHOOK_SECRET, "$1secret")
    .replaceAll(MEASURED, '$1$2$3"measured"');
  const instants = unique(text.match(INSTANT)).sort();
  const ids = unique([...(text.match(UUID) ?? []), ...[...text.matchAll(GENERATED_ID)].map((it) => it[1]!)]);
  const named = unique(text.match(DAY))
    .sort()
    .reduce(
      (it, day, index) => it.replaceAll(`"${day}"`, `"day ${index}"`),
      ids.reduce((it, id, index) => it.replaceAll(id, `id ${index}`), text),
    );
  return JSON.parse(
    instants.reduce((it, instant, index) => it.replaceAll(instant, ranked ? `instant ${index}` : "instant"), named),
  );
}

const unique = (texts: readonly string[] | null): string[] => [...new Set(texts ?? [])];
