import { isUuid } from "../../util/uuid.ts";

/** With the days that each month has; February has 29. */
const DATE = String.raw`\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const DATE_TIME = new RegExp(`^${DATE}T${TIME}$`);

/** A date-time of RFC 3339, in upper case and without leap seconds, which a Date cannot represent. */
const isDateTime = (text: string): boolean =>
  DATE_TIME.test(text) && (!text.startsWith("02-29", 5) || isLeap(Number(text.slice(0, 4))));

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * The formats as the contract describes them. Those of the validator would also accept a space instead of the `T`, the prefix `urn:uuid:`,
 * and capital letters.
 */
export const formats: Readonly<Record<string, { readonly type: "string"; readonly validate: (text: string) => boolean }>> = {
  "date-time": { type: "string", validate: isDateTime },
  uuid: { type: "string", validate: isUuid },
};
