import { z } from "zod";
import { readBundle } from "../../contract/bundle.ts";
import { internalError } from "../../media/media-failure.ts";
import type { StoredResult } from "../store.ts";
import { toVideoResult } from "../wire.ts";

/** Throws if a result breaks the contract. */
export type ResultCheck = (videoUploadId: string, result: StoredResult) => void;

/** Validates a result against the contract before it is stored, because a list with an invalid row would return 500. */
export function loadResultCheck(): ResultCheck {
  const text = readBundle("json").toString();
  const {
    components: { schemas },
  } = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as Contract;
  const schema = z.fromJSONSchema({ ...schemas.VideoResult, $defs: schemas });
  return (videoUploadId, result) => {
    const { error } = schema.safeParse(toVideoResult(videoUploadId, result));
    if (error !== undefined) throw internalError(error, { retryable: false });
  };
}

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;
type Contract = { readonly components: { readonly schemas: { readonly VideoResult: JsonSchema } & Record<string, JsonSchema> } };
