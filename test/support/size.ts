/** Whether tests with a size, such as the steps of a random walk, have their full one: `TEST_SIZE=full`, once a day in CI. */
const isFull = process.env["TEST_SIZE"] === "full";

export const sized = <T>(usual: T, full: T): T => (isFull ? full : usual);
