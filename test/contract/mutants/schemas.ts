import { append, remove, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

const LABEL = { type: "string", description: "The text of the label.", maxLength: 40, pattern: "^[a-z]+$" };
const SET = { type: "string", enum: ["up", "down"] };
/** Adds a pattern that no example uses, so that only the pattern itself can be wrong. */
const pattern = (to: string) =>
  append("posts/posts.yaml", "get parameters", {
    name: "label",
    in: "query",
    description: "Only posts that carry it.",
    schema: { ...LABEL, pattern: to },
  });

/** Mistakes for our own rules about schemas: openapi/rules/schemas.js and patterns.js. */
export const schemas: readonly Mutant[] = [
  ...mutantsOf("plumbline/may-grow", {
    "a string of requests and responses without x-may-grow": remove("posts/schemas.yaml", "Post properties title x-may-grow"),
    "x-may-grow without a limit": set("users/schemas.yaml", "Credential properties expires_at x-may-grow", true),
    "x-may-grow: false": set("posts/schemas.yaml", "Post properties title x-may-grow", false),
  }),
  ...mutantsOf("plumbline/typed", {
    "a field of a request without a type": remove("posts/schemas.yaml", "CreatePostRequest properties title type"),
    "a field of a response without a type": remove("posts/schemas.yaml", "Post properties title type"),
    "a parameter without a type": remove("shared/parameters.yaml", "IfMatch schema type"),
    "a list of items without a type": set("conversations/schemas.yaml", "CreateConversationRequest properties member_ids items", {
      description: "A user or a thing.",
    }),
  }),
  ...mutantsOf("plumbline/string-bounds", {
    "a string without a maximum length": remove("posts/schemas.yaml", "CreatePostRequest properties title maxLength"),
    "a string without a pattern": remove("posts/schemas.yaml", "CreatePostRequest properties title pattern"),
    "a parameter without a maximum length": remove("shared/parameters.yaml", "IfMatch schema maxLength"),
  }),
  ...mutantsOf("plumbline/plain-formats", {
    "a timestamp with a pattern": set("shared/schemas.yaml", "Timestamp pattern", "^[0-9TZ:.-]+$"),
    "a timestamp with a length": set("shared/schemas.yaml", "Timestamp maxLength", 24),
    "an id with a pattern": set("shared/schemas.yaml", "Uuid pattern", "^[0-9a-f-]+$"),
    "a timestamp or null with a length": set("users/schemas.yaml", "Credential properties expires_at minLength", 24),
  }),
  ...mutantsOf("plumbline/integer-bounds", {
    "a number without a minimum": remove("shared/parameters.yaml", "Limit schema minimum"),
    "a number without a maximum": remove("urls/schemas.yaml", "Url properties click_count maximum"),
    "a number without a format": remove("conversations/schemas.yaml", "Conversation properties member_count format"),
    "a fraction": set("video-uploads/schemas.yaml", "VideoProgress properties percent type", "number"),
  }),
  ...mutantsOf("plumbline/array-bounds", {
    "a list without a maximum length": remove(
      "conversations/schemas.yaml",
      "CreateConversationRequest properties member_ids maxItems",
    ),
    "a list without items": remove("shared/schemas.yaml", "Problem properties errors items"),
  }),
  ...mutantsOf("plumbline/plain-shapes", {
    "an object without a name": set("posts/schemas.yaml", "Post properties location", {
      type: "object",
      description: "Where it was written.",
      properties: { label: LABEL },
    }),
    "a list of objects without a name": set("posts/schemas.yaml", "Post properties locations", {
      type: "array",
      maxItems: 5,
      description: "Where it was written.",
      items: { type: "object", description: "A location on the map.", properties: { label: LABEL } },
    }),
    "one of two types": set("posts/schemas.yaml", "Post properties location", {
      description: "Where it was written.",
      oneOf: [{ $ref: "../urls/schemas.yaml#/UrlId" }, { $ref: "../shared/schemas.yaml#/Cursor" }],
    }),
    "a string or null in two parts": set("posts/schemas.yaml", "Post properties seen_at", {
      description: "When it was read last.",
      oneOf: [{ $ref: "../shared/schemas.yaml#/Timestamp" }, { type: "null" }],
    }),
    "a composition": set("posts/schemas.yaml", "Post properties label", {
      ...LABEL,
      allOf: [{ $ref: "../shared/schemas.yaml#/Uuid" }],
    }),
    const: set("health/schemas.yaml", "Health properties version const", "1.0.0"),
  }),
  ...mutantsOf("plumbline/request-closed", {
    "a request that accepts unknown fields": remove("posts/schemas.yaml", "CreatePostRequest additionalProperties"),
  }),
  ...mutantsOf(
    "plumbline/request-closed",
    {
      "a request without a type that accepts unknown fields": [
        remove("posts/schemas.yaml", "CreatePostRequest additionalProperties"),
        remove("posts/schemas.yaml", "CreatePostRequest type"),
      ],
    },
    ["plumbline/typed"],
  ),
  ...mutantsOf("plumbline/response-open", {
    "a response that can't get new fields": set("posts/schemas.yaml", "Post additionalProperties", false),
    "a response that can't get new fields, with another keyword": set("posts/schemas.yaml", "Post unevaluatedProperties", false),
  }),
  ...mutantsOf("plumbline/defaults-valid", {
    "a default beyond the maximum": set("shared/parameters.yaml", "Limit schema default", 1000),
  }),
  ...mutantsOf("plumbline/named-sets", {
    "values that aren't identifiers, without names": remove("posts/schemas.yaml", "PostSortOrder x-enum-varnames"),
    "values with dots, without names": [
      set("posts/schemas.yaml", "PostKind", { type: "string", enum: ["post.short", "post.long"] }),
      append("posts/posts.yaml", "get parameters", {
        name: "kind",
        in: "query",
        description: "Only posts of this kind.",
        schema: { $ref: "schemas.yaml#/PostKind" },
      }),
    ],
    "an enum of a field without a name": set("posts/schemas.yaml", "Post properties way", {
      ...SET,
      description: "Which way it goes.",
    }),
    "an enum of one value without a name": set("posts/schemas.yaml", "Post properties way", {
      ...SET,
      description: "Which way it goes.",
      enum: ["up"],
    }),
    "a missing name": set("posts/schemas.yaml", "PostSortOrder x-enum-varnames", ["NewestFirst"]),
    "one name for two values": set("posts/schemas.yaml", "PostSortOrder x-enum-varnames", ["ByTime", "ByTime"]),
    "the name of a parameter": [
      set("posts/schemas.yaml", "PostOrder", { ...SET, description: "Which way posts are sorted." }),
      set("posts/parameters.yaml", "PostOrder", {
        name: "order",
        in: "query",
        description: "Which way they are sorted.",
        schema: { $ref: "schemas.yaml#/PostOrder" },
      }),
      append("posts/posts.yaml", "get parameters", { $ref: "parameters.yaml#/PostOrder" }),
    ],
    "a constant of another set": append("conversations/schemas.yaml", "MemberRole enum", "oldest_post_first"),
    "the name of its own set": set("webhooks/schemas.yaml", "MessageCreatedEventType x-enum-varnames", [
      "MessageCreatedEventType",
    ]),
    "an invalid name": set("posts/schemas.yaml", "PostSortOrder x-enum-varnames", ["Newest-first", "OldestFirst"]),
    "an enum of a parameter without a name": append("posts/posts.yaml", "get parameters", {
      name: "order",
      in: "query",
      description: "Which way they are sorted.",
      schema: SET,
    }),
    "an enum of a header without a name": set("posts/posts.yaml", "get responses 200 headers X-Order", {
      description: "Which way they are sorted.",
      schema: SET,
      example: "up",
    }),
    "an enum of a list without a name": append("posts/posts.yaml", "get parameters", {
      name: "order",
      in: "query",
      style: "form",
      explode: false,
      description: "Which ways they are sorted.",
      schema: { type: "array", maxItems: 2, items: SET },
    }),
  }),
  ...mutantsOf("plumbline/regex-valid", {
    "an invalid pattern": pattern("^[a-z$"),
    "a pattern without anchors": pattern("[a-z]+"),
    "a pattern whose alternatives have one anchor each": pattern("^a|b$"),
    "a pattern that doesn't end with an anchor": pattern("^a\\$"),
    "exponential time, by a loop in a loop": pattern("^([a-z]+)+$"),
    "exponential time, by a loop with something optional": pattern("^([a-z]+-?)*$"),
    "exponential time, by alternatives that overlap": pattern("^(\\w|\\d)*$"),
    "exponential time, by alternatives that can be empty": pattern("^((a?|b?)c)*$"),
    "exponential time, by a script and all characters": pattern("^(\\p{Script=Greek}|[^\\x00])*$"),
    "exponential time, by everything but a script, and one of its letters": pattern("^(\\P{Script=Greek}|[\\u03ff-\\u0401])*$"),
    "exponential time, by ranges that overlap far from Latin letters": pattern("^([\\u0400-\\u04ff]|[\\u0410-\\u0450])*$"),
    "exponential time, by ranges with one character in common": pattern("^([\\u{1f600}-\\u{1f610}]|[\\u{1f610}-\\u{1f620}])*$"),
    "exponential time, by an unusual space": pattern("^(\\s|[\\u2004-\\u2006])*$"),
    "exponential time, by one character written in two ways": pattern("^(\\cA|\\x01)*$"),
    "exponential time, by a pair of surrogates and its character": pattern("^(\\ud83d\\ude00|\\u{1f600})*$"),
    "exponential time, by a backspace in a class": pattern("^([\\b]|\\x08)*$"),
    "exponential time, after something repeated zero times": pattern("^(a{0}b*|c)*$"),
    "exponential time, in a group that ignores case": pattern("^(?i:[a-z]*[A-Z]*)*$"),
    "quadratic time, by an alternative that can start anywhere": pattern("^a|b+$"),
    "polynomial time, by loops side by side": pattern("^[^\\x00]*[^\\s\\x00][^\\x00]*$"),
    "a lookahead": pattern("^(?=[a-z])\\w+$"),
  }),
];
