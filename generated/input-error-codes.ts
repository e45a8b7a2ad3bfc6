// Generated: do not edit, run `npm run generate`.

/** Which rule a place of a request can break. */
export const inputErrorCodes = [
  "required",
  "additionalProperties",
  "type",
  "enum",
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "depth",
  "form",
  "upload_length",
  "invalid_cursor",
  "conflicting_parameters",
  "id_taken",
  "target_not_allowed",
  "expires_at_invalid",
  "unknown_user",
  "digest_mismatch"
] as const;

export type InputErrorCode = (typeof inputErrorCodes)[number];
