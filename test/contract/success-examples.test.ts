import { beforeAll, describe, expect, it } from "@jest/globals";
import { declaredResponse, operations, rawOperation } from "../support/contract.ts";
import type { Chapter } from "../support/story/chapter.ts";
import { withPlaceholders } from "../support/story/placeholders.ts";
import { tellStory } from "../support/story/story.ts";

const successExamples = operations.flatMap((operation) =>
  Object.keys(rawOperation(operation).responses)
    .filter((it) => it.startsWith("2"))
    .flatMap((status) =>
      Object.values(declaredResponse(operation, status)!.content).flatMap(({ examples = {} }) =>
        Object.entries(examples).map(([name, { value }]) => ({ key: `${operation.id} ${name}`, status: Number(status), value })),
      ),
    ),
);

/** Those who are there from the beginning join in one transaction, each at an instant of its own or at the same, as it happens. */
const UNRANKED = ["listMembers everybody"];

/** That the answers have the headers that the contract requires has been seen to by the client, as in every test. */
describe("every success that the contract shows", () => {
  let story: Chapter;
  beforeAll(async () => {
    story = await tellStory();
  }, 330_000);

  it.each(successExamples)(
    "is what the service answers when it happens, field by field and value by value: $key",
    ({ key, status, value }) => {
      const answer = story[key];
      if (answer === undefined)
        throw new Error(`Nothing in test/support/story/ leads to the example ${key}: make it happen there.`);
      const ranked = !UNRANKED.includes(key);
      expect({ status: answer.status, body: withPlaceholders(answer.body, { ranked }) }).toEqual({
        status,
        body: withPlaceholders(value, { ranked }),
      });
    },
  );

  it("is in the contract, if it is in the story", () => {
    const shown = successExamples.map((it) => it.key);
    expect(Object.keys(story).filter((it) => !shown.includes(it))).toEqual([]);
  });
});
