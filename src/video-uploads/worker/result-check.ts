import { z } from "zod";
import { readBundle } from "../../contract/bundle.ts";
import { MediaFailure } from "../media/media-failure.ts";
import type { StoredResult } from "../store.ts";
import { toVideoResult } from "../wire.ts";

/** Throws when a result could not be sent as the contract has it. */
export type ResultCheck = (videoUploadId: string, result: StoredResult) => void;

/**
 * The contract's own schema of a result, for whoever writes one down: a row that breaks it would be a 500 for each
 * request that shows it, the list among them, for as long as it is there.
 */
export function loadResultCheck(): ResultCheck {
  const text = readBundle("json").toString();
  const {
    components: { schemas },
  } = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/'), asZodKnowsIt) as Contract;
  const schema = z.fromJSONSchema({ ...schemas.VideoResult, $defs: schemas });
  return (videoUploadId, result) => {
    const { error } = schema.safeParse(toVideoResult(videoUploadId, result));
    if (error !== undefined)
      throw new MediaFailure("internal_error", "The video could not be processed because of an internal error.", {
        cause: error,
      });
  };
}

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;
type Contract = { readonly components: { readonly schemas: { readonly VideoResult: JsonSchema } & Record<string, JsonSchema> } };

/** Zod takes a reference for a whole address; what ours look like, their pattern says. */
const asZodKnowsIt = (key: string, value: unknown) => (key === "format" && value === "uri-reference" ? undefined : value);
