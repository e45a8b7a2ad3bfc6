/** Whether tests with a size, such as the steps of a random walk, have their full one: `TEST_SIZE=full`, once a day in CI. */
const isFull = process.env["TEST_SIZE"] === "full";

export const sized = <T>(usual: T, full: T): T => (isFull ? full : usual);

/**
 * A fourth of the values for each place, in turn, so that many places have all of them together. For what has the same code in each place;
 * at the full size, each has all.
 */
export const inTurn = <T>(values: readonly T[], place: number): readonly T[] =>
  sized(
    values.filter((_, index) => (index + place) % 4 === 0),
    values,
  );
