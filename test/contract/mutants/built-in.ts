import { append, remove, rename, set } from "./edit.ts";
import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mistakes for the rules of recommended-strict that this contract relies on. */
export const builtIn: readonly Mutant[] = [
  ...mutantsOf("struct", {
    "a misspelt keyword": set("posts/schemas.yaml", "Post properties title maxLenght", 200),
    "nullable, as in OpenAPI 3.0": set("posts/schemas.yaml", "Post properties title nullable", true),
  }),
  ...mutantsOf("no-unresolved-refs", {
    "a missing file": set("posts/schemas.yaml", "Post properties author_id $ref", "../shared/schemas.yaml#/Guid"),
  }),
  ...mutantsOf("info-license", { "no license": remove("openapi.yaml", "info license") }),
  ...mutantsOf("no-ambiguous-paths", {
    "two paths that match the same URL": rename(
      "openapi.yaml",
      "paths /conversations/{conversationId}/members",
      "/conversations/members/{conversationId}",
    ),
  }),
  ...mutantsOf(
    "no-identical-paths",
    {
      "two paths that differ only in the name of a parameter": set("openapi.yaml", "paths /posts/{id}", {
        $ref: "urls/u_{id}.yaml",
      }),
    },
    ["no-ambiguous-paths"],
  ),
  ...mutantsOf("no-duplicated-enum-values", {
    "a repeated value": append("conversations/schemas.yaml", "MemberRole enum", "owner"),
  }),
  ...mutantsOf("no-duplicated-tag-names", {
    "a repeated tag": append("openapi.yaml", "tags", { name: "Posts", description: "Posts once more, in other words." }),
  }),
  ...mutantsOf("no-empty-servers", { "no server": set("openapi.yaml", "servers", []) }),
  ...mutantsOf("no-enum-type-mismatch", { "a number among strings": append("conversations/schemas.yaml", "MemberRole enum", 3) }),
  ...mutantsOf("no-invalid-media-type-examples", {
    "an example with the wrong type": set(
      "health/health.yaml",
      "get responses 200 content application/json examples pass value version",
      1,
    ),
  }),
  ...mutantsOf(
    "no-required-schema-properties-undefined",
    { "an unknown required field": append("posts/schemas.yaml", "Post required", "subtitle") },
    ["no-invalid-media-type-examples"],
  ),
  ...mutantsOf("no-schema-type-mismatch", {
    "properties of a list": set("users/schemas.yaml", "Scope properties", {
      area: { $ref: "../shared/schemas.yaml#/Uuid", description: "What it is about." },
    }),
  }),
  ...mutantsOf("no-server-example.com", {
    "a server at example.com": set("openapi.yaml", "servers 0 url", "https://example.com"),
  }),
  ...mutantsOf("no-unsafe-markdown", {
    "a script in a description": set("posts/posts.yaml", "get description", "The posts of all users. <script>alert(1)</script>"),
  }),
  ...mutantsOf(
    "operation-operationId-unique",
    { "one name for two operations": set("posts/posts.yaml", "post operationId", "getPost") },
    ["plumbline/outcomes"],
  ),
  ...mutantsOf("operation-parameters-unique", {
    "a repeated parameter": append("urls/urls.yaml", "get parameters", { $ref: "../shared/parameters.yaml#/Limit" }),
  }),
  ...mutantsOf("operation-summary", { "an operation without a summary": remove("posts/posts.yaml", "get summary") }),
  ...mutantsOf(
    "path-parameters-defined",
    {
      "a parameter under two names": rename(
        "openapi.yaml",
        "paths /conversations/{conversationId}/members",
        "/conversations/{id}/members",
      ),
    },
    ["plumbline/path-parameters-first"],
  ),
  ...mutantsOf("security-defined", {
    "an unknown security scheme": set("posts/posts.yaml", "get security", [{ api_key: ["posts:read"] }]),
  }),
];
