import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readContract, withClosedSchemas } from "../../src/contract/bundle.ts";
import { formats } from "../../src/http/validation/formats.ts";
import { isUuid } from "../../src/util/uuid.ts";

/** Compares a value with a schema. Returns the errors, or null. */
export type Judge = (schema: { readonly [key: string]: unknown }, value: unknown) => string | null;

// The service sends only what the contract declares, although clients must accept more.
const closed = withClosedSchemas(readContract()) as unknown as {
  components: { schemas: Record<string, { enum?: unknown; "x-extensible-enum"?: unknown }> };
};
// The same applies to problem codes and input error codes.
for (const name of ["ProblemCode", "InputErrorCode"]) {
  const codes = closed.components.schemas[name]!;
  codes.enum = codes["x-extensible-enum"];
}

const isSentTimestamp = (text: string): boolean => /^\d{4}-.{18}Z$/.test(text) && new Date(text).toJSON() === text;

/** What `x-text` requires in addition to a pattern, in the words of the contract: something visible, and for a line, no line break. */
const isTextOfKind = (kind: string, text: string): boolean =>
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u.test(text) &&
  (kind === "text" || !/[\u000a-\u000d\u0085\u2028\u2029]/.test(text));

/** What `contract.ts` says about both. A worker of Jest makes them once, because compiling a schema takes longer than most tests. */
export const judges = { flawsOf: judgeWith(isSentTimestamp), flawsOfRequest: judgeWith(formats["date-time"]!.validate) };
export type Judges = typeof judges;

/** Also checks the formats of timestamps and ids, which the contract describes only in prose. */
function judgeWith(isDateTime: (text: string) => boolean): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv, { mode: "full" });
  for (const format of ["int32", "int64", "binary"]) ajv.addFormat(format, true);
  ajv.addFormat("uuid", isUuid);
  ajv.addFormat("date-time", isDateTime);
  ajv.addKeyword({ keyword: "x-text", type: "string", schemaType: "string", validate: isTextOfKind });
  ajv.addSchema({ ...closed, $id: "contract.json" });
  const compiled = new Map<string, ValidateFunction>();
  // The schemas of a test file that has ended, with its copy of the contract, are freed.
  const known = new WeakMap<object, ValidateFunction>();
  const compile = (schema: object): ValidateFunction => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"contract.json#/')) as object);
    compiled.set(key, validate);
    return validate;
  };
  return (schema, value) => {
    const validate = known.get(schema) ?? compile(schema);
    known.set(schema, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors, { separator: "; " });
  };
}
