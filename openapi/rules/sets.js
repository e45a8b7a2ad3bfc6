// Closed sets of values, as types and constants of generated clients: DECISIONS.md, "Sets of values have names".

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * An enum of several values, and any enum of a field, is a schema with a name. Values that are not identifiers have names
 * in `x-enum-varnames`.
 */
export function NamedSets() {
  const unnamed = new Set();
  const remember = ({ schema }) => {
    for (const it of writtenOut(schema)) unnamed.add(it);
  };
  return {
    Parameter: remember,
    Header: remember,
    MediaType: remember,
    Schema(schema, { report, location }) {
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

const areNames = (names, values) =>
  names.length === values.length && new Set(names).size === names.length && names.every((it) => IDENTIFIER.test(it));

/** Schemas that are written inline, so they have no name. */
function* writtenOut(schema) {
  if (!schema || schema.$ref) return;
  yield schema;
  const children = [...Object.values(schema.properties ?? {}), schema.items, ...(schema.oneOf ?? [])];
  for (const child of children) yield* writtenOut(child);
}
