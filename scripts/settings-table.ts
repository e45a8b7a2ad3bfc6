import { settings } from "../src/config.ts";

/** The used fields of a Zod definition. Zod's own type lacks fields that depend on the kind. */
type Definition = {
  readonly type: string;
  readonly innerType?: { readonly def: Definition };
  readonly in?: { readonly def: Definition };
  readonly defaultValue?: unknown;
};

/** The table of settings in scripts/deploy/SETTINGS.md, generated from the schema: name, default, meaning. */
export function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(
    ([name, schema]) => `| \`${name}\` | ${defaultOf(schema.def as unknown as Definition)} | ${schema.description ?? ""} |`,
  );
  return ["| Setting | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
}

function defaultOf(definition: Definition): string {
  if (definition.type === "default") {
    const value = definition.defaultValue;
    if (Array.isArray(value)) return `\`${value.join(",")}\``;
    return (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean"
      ? `\`${value}\``
      : "";
  }
  const inner = definition.innerType ?? definition.in;
  return inner === undefined ? "" : defaultOf(inner.def);
}
