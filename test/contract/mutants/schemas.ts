import { append, remove, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

const POST = "posts/Post.yaml";
const CREATE_POST = "posts/CreatePostRequest.yaml";
const LABEL = { type: "string", description: "What somebody wrote on it.", maxLength: 40, pattern: "^[a-z]+$" };
/** A pattern where no example uses it, so that only the pattern itself can be wrong. */
const pattern = (to: string) => append("posts/posts.yaml", "get parameters", { name: "label", in: "query", description: "Only posts that carry it.", schema: { ...LABEL, pattern: to } });

/** Faults for our own rules about schemas: openapi/rules/schemas.js and patterns.js. */
export const schemas: readonly Mutant[] = [
  ...mutantsOf("plumbline/string-bounds", {
    "a text without an end": remove(CREATE_POST, "properties title maxLength"),
    "a text that may hold anything": remove(CREATE_POST, "properties title pattern"),
    "a parameter without an end": remove("shared/parameters.yaml", "IfMatch schema maxLength"),
  }),
  ...mutantsOf("plumbline/integer-bounds", {
    "a number without a smallest": remove("shared/parameters.yaml", "Limit schema minimum"),
    "a number without a largest": remove("conversations/Conversation.yaml", "properties member_count maximum"),
    "a number without a width": remove("conversations/Conversation.yaml", "properties member_count format"),
    "a fraction": set("video-uploads/VideoProgress.yaml", "properties percent type", "number"),
  }),
  ...mutantsOf("plumbline/array-bounds", {
    "a list without an end": remove("conversations/CreateConversationRequest.yaml", "properties member_ids maxItems"),
    "a list of anything": remove("shared/Problem.yaml", "properties errors items"),
  }),
  ...mutantsOf("plumbline/plain-shapes", {
    "an object without a name": set(POST, "properties place", { type: "object", description: "Where it was written.", properties: { label: LABEL } }),
    "a list of objects without a name": set(POST, "properties places", { type: "array", maxItems: 5, description: "Where it was written.", items: { type: "object", description: "A place on the map.", properties: { label: LABEL } } }),
    "one of two types": set(POST, "properties place", { description: "Where it was written.", oneOf: [{ $ref: "../shared/Uuid.yaml" }, { $ref: "../shared/Timestamp.yaml" }] }),
    "a composition": set(POST, "properties label", { ...LABEL, allOf: [{ minLength: 3 }] }),
    "const": set("service/Health.yaml", "properties status const", "pass"),
  }),
  ...mutantsOf("plumbline/request-closed", { "a request that takes unknown fields": remove(CREATE_POST, "additionalProperties") }),
  ...mutantsOf("plumbline/response-open", {
    "an answer that can never grow": set(POST, "additionalProperties", false),
    "the same, with the other keyword": set(POST, "unevaluatedProperties", false),
  }),
  ...mutantsOf("plumbline/defaults-valid", { "a default beyond the maximum": set("shared/parameters.yaml", "Limit schema default", 1000) }),
  ...mutantsOf("plumbline/regex-valid", {
    "a pattern that does not compile": pattern("^[a-z$"),
    "a pattern that fits anywhere in a text": pattern("[a-z]+"),
    "exponential time, by a loop in a loop": pattern("^([a-z]+)+$"),
    "exponential time, by a loop with something optional": pattern("^([a-z]+-?)*$"),
    "exponential time, by alternatives that overlap": pattern("^(\\w|\\d)*$"),
    "exponential time, by alternatives that may be empty": pattern("^((a?|b?)c)*$"),
    "polynomial time, by loops side by side": pattern("^[^\\x00]*[^\\s\\x00][^\\x00]*$"),
    "something that looks ahead": pattern("^(?=[a-z])\\w+$"),
  }),
];
