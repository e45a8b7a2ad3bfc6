// Rules for every schema, so that each value has a known size and every generator understands it.
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { flawOfPattern } from "./patterns.js";
import { everyOperation, follow, schemasUnder, types } from "./walk.js";

/** A schema without a type would accept anything, and no other rule would look at it. */
export function Typed() {
  const means = ["type", "$ref", "oneOf", "enum"];
  return {
    Schema(schema, { report, location }) {
      if (!means.some((it) => it in schema)) report({ message: `A schema needs one of ${means.join(", ")}.`, location });
    },
  };
}

/** Formats that limit the length of a string. Generators turn them into types of their own. */
const TYPES_OF_THEIR_OWN = ["date-time", "uuid", "binary"];

/** Every string has a maximum length, and a pattern, a format or an enum. */
export function StringBounds() {
  return {
    Schema(schema, { report, location }) {
      if (!types(schema).includes("string") || schema.enum || TYPES_OF_THEIR_OWN.includes(schema.format)) return;
      if (schema.maxLength === undefined) report({ message: "A string needs maxLength or enum.", location });
      if (!schema.pattern && !schema.format) report({ message: "A string needs pattern, format or enum.", location });
    },
  };
}

/**
 * A timestamp, a UUID or a file has no other keywords: generators turn it into a special type, and clients that check the
 * length or the pattern of such a type don't compile, or throw.
 */
export function PlainFormats() {
  return {
    Schema(schema, { report, location }) {
      if (!TYPES_OF_THEIR_OWN.includes(schema.format)) return;
      for (const keyword of ["minLength", "maxLength", "pattern", "enum", "default"]) {
        const at = location.child(keyword);
        if (keyword in schema)
          report({ message: `A string with format: ${schema.format} must not have ${keyword}.`, location: at });
      }
    },
  };
}

/** Every number is an integer with a format, a minimum and a maximum. */
export function IntegerBounds() {
  return {
    Schema(schema, { report, location }) {
      if (types(schema).includes("number"))
        report({ message: "Use an integer with a unit in its name, such as duration_ms, instead of a number.", location });
      if (!types(schema).includes("integer") || schema.enum) return;
      for (const keyword of ["format", "minimum", "maximum"]) {
        if (schema[keyword] === undefined) report({ message: `An integer needs ${keyword}.`, location });
      }
    },
  };
}

/** Every array has a maximum length. */
export function ArrayBounds() {
  return {
    Schema(schema, { report, location }) {
      if (!types(schema).includes("array")) return;
      for (const keyword of ["items", "maxItems"]) {
        if (schema[keyword] === undefined) report({ message: `An array needs ${keyword}.`, location });
      }
    },
  };
}

/** Schemas use only what every client generator supports: src/decisions/0007-plain-subset-of-openapi.md. */
export function PlainShapes() {
  const unwanted = ["allOf", "anyOf", "not", "if", "const", "discriminator", "prefixItems", "patternProperties"];
  const isInlineObject = (schema) => schema && !schema.$ref && (types(schema).includes("object") || schema.properties);
  return {
    Schema(schema, { report, location, resolve }) {
      for (const keyword of unwanted) {
        const at = location.child(keyword);
        if (keyword in schema)
          report({ message: `Don't use ${keyword}: some client generators don't support it.`, location: at });
      }
      const orNull = (schema.oneOf ?? []).filter((it) => it.type !== "null");
      if (schema.oneOf && (orNull.length !== 1 || schema.oneOf.length !== 2)) {
        report({ message: 'Use oneOf only for "an object or null".', location: location.child("oneOf") });
      }
      for (const it of orNull) {
        const { node } = follow(it, location, resolve);
        if (schema.oneOf.length === 2 && !types(node).includes("object"))
          report({ message: 'Use oneOf only for "an object or null". For other types, use type: [..., "null"].', location });
      }
      const nested = [
        ...Object.entries(schema.properties ?? {}),
        ...(schema.items ? [["items", schema.items]] : []),
        ...orNull.map((it) => ["oneOf", it]),
      ];
      for (const [name, child] of nested) {
        if (isInlineObject(child))
          report({ message: `Move the object "${name}" to a file of its own, which gives it a name.`, location });
      }
    },
  };
}

/** Request objects are closed, so that a misspelt field is an error. */
export function RequestClosed() {
  return {
    Paths: {
      RequestBody(body, { report, location, resolve }) {
        for (const { schema, location: at } of schemasInContent(body, location, resolve)) {
          if ((types(schema).includes("object") || schema.properties) && schema.additionalProperties !== false) {
            report({ message: "A request object needs additionalProperties: false.", location: at });
          }
        }
      },
    },
  };
}

/** What the service sends, responses and events, is open: in a closed object, every new field would be a breaking change. */
export function ResponseOpen() {
  const judge = (sent, { report, location, resolve }) => {
    for (const { schema, location: at } of schemasInContent(sent, location, resolve)) {
      for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
        if (keyword in schema) report({ message: `An object that the service sends must not have ${keyword}.`, location: at });
      }
    }
  };
  return { Response: judge, WebhooksMap: { RequestBody: judge } };
}

function* schemasInContent(owner, location, resolve) {
  for (const [type, media] of Object.entries(owner.content ?? {})) {
    if (media.schema) yield* schemasUnder(media.schema, location.child(["content", type, "schema"]), resolve);
  }
}

/** A default is valid against its schema. */
export function DefaultsValid() {
  return {
    Schema(schema, { report, location }) {
      if (schema.default === undefined) return;
      const { properties, items, oneOf, ...own } = schema;
      const wrong = flawOf(own, schema.default);
      if (wrong) report({ message: `The default is not valid: ${wrong}.`, location: location.child("default") });
    },
  };
}

/** A pattern compiles as validators compile it, and takes linear time for any input. */
export function RegexValid() {
  return {
    Schema(schema, { report, location }) {
      if (typeof schema.pattern !== "string") return;
      const at = location.child("pattern");
      try {
        new RegExp(schema.pattern, "u");
      } catch (error) {
        report({ message: `The pattern does not compile: ${error.message}`, location: at });
        return;
      }
      const flaw = flawOfPattern(schema.pattern);
      if (flaw) report({ message: `The pattern is not safe: ${flaw}.`, location: at });
    },
  };
}

/** Validates a value against a schema that may start with a reference but holds none inside. */
export function flaw(schema, value, location, resolve) {
  return flawOf(follow(schema, location, resolve).node, value);
}

// One instance, because each compiles the meta-schema again.
const ajv = new Ajv.default({ strict: false, addUsedSchema: false });
addFormats.default(ajv);
for (const format of ["int32", "int64", "binary"]) ajv.addFormat(format, true);

function flawOf(schema, value) {
  try {
    return ajv.validate(schema, value) ? undefined : ajv.errorsText();
  } catch (error) {
    return error.message;
  }
}

/**
 * COMPATIBILITY.md, 2.11: the limit of a response field must be able to grow with the limit of the same field in the
 * request. So a text with a maximum length in both has `x-may-grow` in the response.
 */
export function MayGrow() {
  const limits = ["maxLength", "maxItems", "maximum"];
  const judge = everyOperation(({ operation, responses }, { location, report, resolve }) => {
    const [sent] = propertiesOf(operation.requestBody, location.child("requestBody"), resolve);
    for (const { status, response, location: at } of responses.filter((it) => /^2/.test(it.status))) {
      const [answered, answeredAt] = propertiesOf(response, at, resolve);
      for (const [name, schema] of Object.entries(answered)) {
        const isText = (it) => it !== undefined && !it.$ref && it.maxLength !== undefined && it.enum === undefined;
        if (isText(sent[name]) && isText(schema) && schema["x-may-grow"] !== true)
          report({
            message: `The field is in the request and in the ${status} response: add x-may-grow: true to it in the response.`,
            location: answeredAt.child(name),
          });
      }
    }
  });
  return {
    ...judge,
    Schema(schema, { report, location }) {
      const mark = schema["x-may-grow"];
      if (mark !== undefined && (mark !== true || !limits.some((it) => it in schema)))
        report({
          message: "x-may-grow must be true and needs a maxLength, maxItems or maximum beside it.",
          location: location.child("x-may-grow"),
        });
    },
  };
}

/** The fields of a JSON body, and their location. */
export function propertiesOf(owner, location, resolve) {
  const body = owner && follow(owner, location, resolve);
  const schema = body?.node.content?.["application/json"]?.schema;
  if (schema === undefined) return [{}, location];
  const found = follow(schema, body.location.child(["content", "application/json", "schema"]), resolve);
  return [found.node.properties ?? {}, found.location.child("properties")];
}
