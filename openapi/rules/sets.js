// Closed sets of values, as types and constants of generated clients: src/decisions/0007-plain-subset-of-openapi.md.

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * An enum of several values, and any enum of a field, is a schema with a name. Values that are not identifiers have names
 * in `x-enum-varnames`. No constant has the name of its schema, because in Ruby it would hide the type. No two schemas have a
 * constant of the same name, because openapi-generator for Go puts all of them into one package without the name of the type. No
 * parameter has the name of such a schema, because oapi-codegen makes a type of both.
 */
export function NamedSets() {
  const unnamed = new Set();
  const owners = new Map();
  const sets = new Set();
  const parameters = new Set();
  const reportShared = (name, { report, location }) => {
    if (sets.has(name) && parameters.has(name))
      report({ message: `The enum ${name} and a parameter need different names.`, location });
  };
  const remember = ({ schema }) => {
    for (const it of writtenOut(schema)) unnamed.add(it);
  };
  return {
    Parameter(parameter, context) {
      remember(parameter);
      const name = nameAt(context.location);
      parameters.add(name);
      reportShared(name, context);
    },
    Header: remember,
    MediaType: remember,
    Schema(schema, context) {
      const { report, location } = context;
      for (const [name, child] of Object.entries(schema.properties ?? {})) {
        if (child.enum ?? child.items?.enum)
          report({
            message: "Move the enum of this field to a file of its own, which gives it a name.",
            location: location.child(["properties", name]),
          });
      }
      const { enum: values, "x-enum-varnames": names } = schema;
      if (unnamed.has(schema)) {
        if (values?.length > 1)
          report({
            message: "Move an enum of several values to a file of its own, which gives it a name.",
            location: location.child("enum"),
          });
        return;
      }
      if (values !== undefined) sets.add(nameAt(location));
      reportShared(nameAt(location), context);
      for (const constant of values === undefined ? [] : (names ?? values).map(asConstant)) {
        if (constant === asConstant(nameAt(location)))
          report({
            message: `The constant ${constant} has the name of its own enum. Give it another name in x-enum-varnames.`,
            location: location.child("enum"),
          });
        const owner = owners.get(constant) ?? location.absolutePointer;
        owners.set(constant, owner);
        if (owner !== location.absolutePointer)
          report({
            message: `Another enum has the constant ${constant} too. Give this one another name in x-enum-varnames.`,
            location: location.child("enum"),
          });
      }
      const isPlain = (values ?? []).every((it) => typeof it !== "string" || IDENTIFIER.test(it));
      if (names === undefined && !isPlain) {
        report({ message: "Values that are not identifiers need names in x-enum-varnames.", location: location.child("enum") });
      }
      const known = values ?? schema["x-extensible-enum"] ?? [];
      if (names !== undefined && !areNames(names, known)) {
        report({
          message: "x-enum-varnames must have one identifier for each value, without duplicates.",
          location: location.child("x-enum-varnames"),
        });
      }
    },
  };
}

/** The name of a component in its file. */
const nameAt = ({ pointer }) => pointer.split("/").at(-1);

/** The name that generators make of a value, which ignores its case and its separators. */
const asConstant = (value) =>
  String(value)
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toUpperCase();

const areNames = (names, values) =>
  names.length === values.length && new Set(names).size === names.length && names.every((it) => IDENTIFIER.test(it));

/** Schemas that are written inline, so they have no name. */
function* writtenOut(schema) {
  if (!schema || schema.$ref) return;
  yield schema;
  const children = [...Object.values(schema.properties ?? {}), schema.items, ...(schema.oneOf ?? [])];
  for (const child of children) yield* writtenOut(child);
}
