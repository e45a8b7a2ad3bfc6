import { z } from "zod";
import { readBundle } from "../../contract/bundle.ts";
import { internalError } from "../media/media-failure.ts";
import type { StoredResult } from "../store.ts";
import { toVideoResult } from "../wire.ts";

/** Throws when a result breaks the contract. */
export type ResultCheck = (videoUploadId: string, result: StoredResult) => void;

/** The contract's schema of a result, checked before the row is written: a row that breaks it makes every list with it a 500. */
export function loadResultCheck(): ResultCheck {
  const text = readBundle("json").toString();
  const {
    components: { schemas },
  } = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/'), asZodKnowsIt) as Contract;
  const schema = z.fromJSONSchema({ ...schemas.VideoResult, $defs: schemas });
  return (videoUploadId, result) => {
    const { error } = schema.safeParse(toVideoResult(videoUploadId, result));
    if (error !== undefined) throw internalError(error, { retryable: false });
  };
}

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;
type Contract = { readonly components: { readonly schemas: { readonly VideoResult: JsonSchema } & Record<string, JsonSchema> } };

/** Zod accepts absolute URLs only here; the pattern beside the format checks our references. */
const asZodKnowsIt = (key: string, value: unknown) => (key === "format" && value === "uri-reference" ? undefined : value);
