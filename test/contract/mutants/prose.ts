import { append, remove, rename, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

const POSTS = "posts/posts.yaml";
const RESPONSES = "shared/responses.yaml";

/** A sentence for each pattern of openapi/rules/plain-words.js, in the same order. */
const TRANSLATED = [
  "Who leaves a conversation loses its messages.",
  "Whoever holds the tag can change the post.",
  "For the one who wrote the post.",
  "The title of one's own post.",
  "The post as the caller sees it.",
  "A post that somebody else wrote.",
  "A post that everybody can read.",
  "What the title shall be.",
  "An unknown title is answered with a refusal.",
  "An unknown title answers 404.",
  "A second title meets 409.",
  "The title, as in the answer to the request.",
  "The same in every repetition of the request.",
  "A change that draws on the limit for writes.",
  "The quota of titles for every user.",
  "A title that an intermediary has changed.",
  "The request's idempotent key.",
  "Where the title is to be gone on with.",
  "A title that is still under way.",
  "What has come of the title until now.",
  "The title, which is kept for ever.",
  "A title that was changed meanwhile.",
  "The new title. Left out, the old one stays.",
  "At most 200 characters unless configured otherwise.",
  "Read the post and decide anew.",
  "A title that was never given out before.",
  "Send the tag in order to change the title.",
  "What kind of title it is. An open set.",
  "Decide by the title.",
  "The title survives a crash.",
  "The title is removed for good.",
  "Please send a title of one line.",
];

/** 61 words. */
const LONG = `${"One of the posts. ".repeat(15)}Done.`;

/** Mistakes for our own rules about words, examples and problems: openapi/rules/prose.js and problems.js. */
export const prose: readonly Mutant[] = [
  ...mutantsOf("plumbline/described", {
    "an operation without a description": remove(POSTS, "get description"),
    "a parameter without a description": remove("posts/parameters.yaml", "Author description"),
    "a header without a description": remove("shared/headers.yaml", "ETag description"),
    "a field without a description": remove("posts/schemas.yaml", "Post properties title description"),
    "a field that repeats its name": set("posts/schemas.yaml", "Post properties title description", "The title of it."),
    "an object without a description": remove("posts/schemas.yaml", "Post description"),
    "a response with an empty description": set(POSTS, "get responses 200 description", "OK"),
    "a link without a description": remove(POSTS, "post responses 201 links read_post description"),
    "a body without a description": remove(POSTS, "post requestBody description"),
  }),
  ...mutantsOf("plumbline/short-descriptions", {
    "an operation that is described in more than 60 words": set(POSTS, "get description", LONG),
    "a parameter that is described in more than 60 words": set("posts/parameters.yaml", "Author description", LONG),
    "a header that is described in more than 60 words": set("shared/headers.yaml", "ETag description", LONG),
    "a response that is described in more than 60 words": set(POSTS, "get responses 200 description", LONG),
    "a field that is described in more than 60 words": set("posts/schemas.yaml", "Post properties title description", LONG),
  }),
  ...mutantsOf("plumbline/plain-words", {
    ...Object.fromEntries(TRANSLATED.map((it) => [it, set("posts/schemas.yaml", "Post properties title description", it)])),
    "a summary with rejected words": set(POSTS, "get summary", "List one's own posts"),
    "the meaning of a problem with rejected words": set(
      "shared/schemas.yaml",
      "ProblemCode x-problems gone meaning",
      "It has gone for ever.",
    ),
    "an example of a problem with rejected words": set(
      RESPONSES,
      "TooManyRequests content application/problem+json examples rate_limited value detail",
      "The quota is used up.",
    ),
    "a tag description with rejected words": set("openapi.yaml", "tags 3 description", "What everybody can read."),
  }),
  ...mutantsOf("plumbline/examples", {
    "a response without an example": remove(POSTS, "get responses 200 content application/json examples"),
    "a request without an example": remove(POSTS, "post requestBody content application/json examples"),
    "a header without an example": remove("shared/headers.yaml", "ETag example"),
    "an invalid example of a header": set("shared/headers.yaml", "ETag example", "5f1d2a90b7c34e68"),
    "an example without a summary": remove(
      "health/health.yaml",
      "get responses 200 content application/json examples pass summary",
    ),
  }),
  ...mutantsOf("plumbline/problem-codes", {
    "a code without an explanation": append("shared/schemas.yaml", "ProblemCode x-extensible-enum", "too_bad"),
    "a code without a remedy": remove("shared/schemas.yaml", "ProblemCode x-problems gone remedy"),
    "a code that no response uses": [
      append("shared/schemas.yaml", "ProblemCode x-extensible-enum", "too_bad"),
      set("shared/schemas.yaml", "ProblemCode x-problems too_bad", {
        status: 400,
        title: "Too bad",
        meaning: "The cause is unknown.",
        remedy: "Give up.",
      }),
    ],
    "an error without its codes": remove(RESPONSES, "TooManyRequests x-problem-codes"),
    "a code with the status of another": set("shared/schemas.yaml", "ProblemCode x-problems rate_limited status", 503),
    "a code without an example": rename(
      RESPONSES,
      "TooManyRequests content application/problem+json examples rate_limited",
      "too_fast",
    ),
    "an example with the wrong title": set(
      RESPONSES,
      "TooManyRequests content application/problem+json examples rate_limited value title",
      "Slow down",
    ),
  }),
];
