import { append, last, remove, rename, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mistakes for the rules that redocly.yaml enables or configures. */
export const configured: readonly Mutant[] = [
  ...mutantsOf("spec-strict-refs", {
    "a reference where OpenAPI allows none": [
      set("openapi.yaml", "info contact", { $ref: "contact.yaml" }),
      set("contact.yaml", "email", "api@plumbline.example"),
    ],
  }),
  ...mutantsOf("component-name-unique", {
    "two schemas with the same name in different folders": [
      set("posts/schemas.yaml", "Account", { type: "object", description: "Another thing of the same name." }),
      set("posts/schemas.yaml", "Post properties author", {
        $ref: "schemas.yaml#/Account",
        description: "The author of the post.",
      }),
    ],
  }),
  ...mutantsOf("info-contact", { "no contact": remove("openapi.yaml", "info contact") }),
  ...mutantsOf("operation-singular-tag", { "an operation with two tags": append("posts/posts.yaml", "get tags", "Service") }),
  ...mutantsOf("operation-tag-defined", {
    "an operation with an unknown tag": set("posts/posts.yaml", "get tags", ["Articles"]),
  }),
  ...mutantsOf("path-http-verbs-order", { "POST before GET": last("posts/posts.yaml", "get") }),
  ...mutantsOf("path-segment-plural", { "a collection in the singular": rename("openapi.yaml", "paths /account", "/profile") }, [
    "plumbline/nouns",
    "plumbline/access",
  ]),
  ...mutantsOf("no-http-verbs-in-paths", { "a verb in a path": rename("openapi.yaml", "paths /posts", "/get-posts") }, [
    "plumbline/nouns",
    "plumbline/access",
  ]),
  ...mutantsOf("array-parameter-serialization", {
    "a list in the query without a serialization": [
      remove("posts/parameters.yaml", "Author example"),
      set("posts/parameters.yaml", "Author schema", {
        type: "array",
        maxItems: 5,
        items: { $ref: "../shared/schemas.yaml#/Uuid" },
      }),
    ],
  }),
  ...mutantsOf("response-mime-type", {
    "a response in XML": rename("users/account.yaml", "get responses 200 content application/json", "application/xml"),
  }),
  ...mutantsOf("request-mime-type", {
    "a body in XML": rename("posts/posts.yaml", "post requestBody content application/json", "application/xml"),
  }),
  ...mutantsOf("no-invalid-media-type-examples", {
    "a field in an example that isn't in the schema": set(
      "posts/posts.yaml",
      "post requestBody content application/json examples doors value subtitle",
      "And how it went",
    ),
  }),
  ...mutantsOf("no-invalid-schema-examples", {
    "an example in a schema that is too long": set("posts/schemas.yaml", "CreatePostRequest properties title examples", [
      "x".repeat(201),
    ]),
  }),
  ...mutantsOf("no-invalid-parameter-examples", {
    "an invalid id as an example": set("posts/parameters.yaml", "PostId example", "5531"),
  }),
  ...mutantsOf(
    "rule/operation-id",
    {
      "an operation without a verb": set("health/health.yaml", "get operationId", "seeHealth"),
      "an operation in snake_case": set("health/health.yaml", "get operationId", "get_Health"),
    },
    ["plumbline/access"],
  ),
  ...mutantsOf("rule/path-form", {
    "a parameter that needs escaping": [
      rename("openapi.yaml", "paths /video-uploads/{job_id}/renditions/{name}", "/video-uploads/{job_id}/renditions/{file.name}"),
      set("video-uploads/parameters.yaml", "RenditionName name", "file.name"),
    ],
  }),
  ...mutantsOf("rule/errors-are-problems", {
    "an error as an image": set("urls/responses.yaml", "Gone content image/jpeg", {
      schema: { type: "string", format: "binary" },
    }),
  }),
  ...mutantsOf(
    "rule/errors-are-problems",
    {
      "an error that is only a page": rename("urls/responses.yaml", "Gone content application/problem+json", "text/html"),
    },
    ["plumbline/problem-codes"],
  ),
  ...mutantsOf("rule/request-body-is-required", {
    "an optional body": remove("posts/posts.yaml", "post requestBody required"),
  }),
  ...mutantsOf("rule/properties-in-snake-case", {
    "a field in camelCase": set("posts/schemas.yaml", "Post properties viewCount", {
      $ref: "../shared/schemas.yaml#/Timestamp",
      description: "When it was read last.",
    }),
  }),
  ...mutantsOf("rule/query-parameters-are-one-word", {
    "a query parameter of two words": set("posts/parameters.yaml", "Author name", "written_by"),
  }),
  ...mutantsOf("rule/path-parameters-are-required", {
    "an optional id": set("posts/parameters.yaml", "PostId required", false),
    "an id without a format": remove("posts/parameters.yaml", "PostId required"),
  }),
  ...mutantsOf("rule/known-formats", {
    "a misspelt format": set("urls/schemas.yaml", "Url properties target_url format", "url"),
    "a format that Kubb takes for a whole URL": set("shared/headers.yaml", "Location schema format", "uri-reference"),
  }),
  ...mutantsOf("rule/bearer-format", {
    "a bearer format of several words": set(
      "openapi.yaml",
      "components securitySchemes bearer_auth bearerFormat",
      "API key or JWT",
    ),
  }),
  ...mutantsOf("rule/no-dialect", {
    "a dialect": set("openapi.yaml", "jsonSchemaDialect", "https://json-schema.org/draft/2020-12/schema"),
  }),
];
