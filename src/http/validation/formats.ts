import { isUuid } from "../../util/uuid.ts";

const DATE_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The formats as the contract describes them. Those of the validator would also accept a space instead of the `T`, the prefix `urn:uuid:`,
 * and capital letters.
 */
export const formats: Readonly<Record<string, { readonly type: "string"; readonly validate: (text: string) => boolean }>> = {
  "date-time": { type: "string", validate: isDateTime },
  uuid: { type: "string", validate: isUuid },
};

/** A date-time of RFC 3339, in upper case and without leap seconds, which a Date cannot represent. */
function isDateTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  // Date converts 30 February to a day in March. It is slow, and every month has 28 days.
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}
