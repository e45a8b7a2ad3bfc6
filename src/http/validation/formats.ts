const DATE_TIME = /^\d{4}-(0[1-9]|1[0-2])-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What the contract says in prose of these formats. It asserts no pattern beside them, because clients hold such values
 * as types that have none; the validator's own idea of them takes a blank for the `T`, or `urn:uuid:` and capitals.
 */
export const formats: Readonly<Record<string, { readonly type: "string"; readonly validate: (text: string) => boolean }>> = {
  "date-time": { type: "string", validate: isDateTime },
  uuid: { type: "string", validate: (text) => UUID.test(text) },
};

/** RFC 3339 without leap seconds and in upper case, as a Date can hold it. */
function isDateTime(text: string): boolean {
  const day = Number(DATE_TIME.exec(text)?.[2]);
  // Date takes 30 February for a day in March.
  return new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}
