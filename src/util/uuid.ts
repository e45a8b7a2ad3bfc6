/** The pattern of a UUID in lower case, as the contract requires. Without counts, with which it takes twice as long. */
export const UUID_PATTERN = [8, 4, 4, 4, 12].map((digits) => "[0-9a-f]".repeat(digits)).join("-");

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Whether a text is a UUID in lower case. */
export const isUuid = (text: string): boolean => UUID.test(text);
