import { beforeAll, describe, expect, it } from "@jest/globals";
import type { ExampleAnswers } from "./story/example-answers.ts";
import { withPlaceholders } from "./story/placeholders.ts";
import { produceExamples } from "./story/story.ts";
import { successExamples } from "../support/success-examples.ts";

/** The first members join in one transaction, and their timestamps can be equal or different. */
const UNRANKED = ["listMembers everybody"];

/** The client of the tests has already checked that the responses have the required headers. */
describe("every success example of the contract", () => {
  let story: ExampleAnswers;
  beforeAll(async () => {
    story = await produceExamples();
  });

  it.each(successExamples)(
    "is the response of the service, field by field and value by value: $key",
    ({ key, status, value }) => {
      const answer = story[key];
      if (answer === undefined)
        throw new Error(
          `No request of the story has the example "${key}". In test/contract/story/, add it under that name to the responses of its area. It needs no line if the examples of its ids are in other examples of the story, and for a POST or PATCH the example of the request has the same name.`,
        );
      const ranked = !UNRANKED.includes(key);
      expect({ status: answer.status, body: withPlaceholders(answer.body, { ranked }) }).toEqual({
        status,
        body: withPlaceholders(value, { ranked }),
      });
    },
  );

  it("covers every response of the story", () => {
    const shown = successExamples.map((it) => it.key);
    expect(Object.keys(story).filter((it) => !shown.includes(it))).toEqual([]);
  });
});
