import type { Contract } from "../../../src/contract/bundle.ts";
import { eventsOf, schemasOfEvents, type Schema } from "./events.ts";

/** The module for receivers in Python: the types of the events, and `unwrap`. */
export function pythonReceiver(contract: Contract, marker: string): string {
  const schemas = schemasOfEvents(contract);
  const events = eventsOf(contract);
  const classes = Object.entries(schemas).filter(([, schema]) => schema.properties !== undefined);
  return `# ${marker}
"""The events that the service sends, and how to check them. Needs standardwebhooks from PyPI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Protocol, TypedDict, Union, cast

from standardwebhooks import Webhook, WebhookVerificationError


${classes.map(([name, schema]) => classOf(name, schema, schemas)).join("\n\n")}

WebhookEvent = Union[
${events.map(({ name }) => `    ${name},`).join("\n")}
]
"""What the service sends. Its \`type\` says which event it is."""

_TYPES = frozenset((
${events.map(({ type }) => `    ${JSON.stringify(type)},`).join("\n")}
))


class ReceivedHeaders(Protocol):
    """The headers of a request: a dictionary, or what your framework has for them."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def unwrap(headers: ReceivedHeaders, body: bytes | str, secret: str) -> WebhookEvent | None:
    """The event in a request, with its \`webhook-id\` as \`id\`, after its signature and its age were checked.

    \`body\` is what has arrived, before anything has parsed it. \`None\` is an event of a type that a later version of the service
    has: answer it with 2xx. Raises a \`WebhookVerificationError\` if the service has not sent this with the secret: answer it with 401.
    """
    webhook = Webhook(secret)
    received = {name.lower(): value for name, value in headers.items()}
    try:
        event: dict[str, Any] = webhook.verify(body, received)
    except ValueError as error:
        # The library raises these for a signature or a body that is malformed.
        raise WebhookVerificationError("Malformed") from error
    if event.get("type") not in _TYPES:
        return None
    return cast(WebhookEvent, {**event, "id": received["webhook-id"]})


__all__ = [
${[...classes.map(([name]) => name), "ReceivedHeaders", "WebhookEvent", "WebhookVerificationError", "unwrap"].map((it) => `    ${JSON.stringify(it)},`).join("\n")}
]
`;
}

function classOf(name: string, { description = "", required = [], properties = {} }: Schema, schemas: Schemas): string {
  const optional = Object.keys(properties).filter((it) => !required.includes(it));
  if (optional.length > 0) throw new Error(`${name}.${optional[0]} is optional, which the types for Python can't express yet.`);
  const fields = Object.entries(properties).map(
    ([field, schema]) => `    ${field}: ${typeOf(schema, schemas)}\n${commentOf(schema.description ?? "", "    ")}`,
  );
  return `class ${name}(TypedDict):\n${commentOf(description, "    ")}\n${fields.join("\n")}`;
}

const commentOf = (text: string, margin: string) => `${margin}"""${text.replaceAll(/\s+/g, " ").trim()}"""\n`;

type Schemas = Readonly<Record<string, Schema>>;
const SCALARS: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

/** The type of a value in Python. Only objects have names there. */
function typeOf({ $ref, type = [], items, oneOf, enum: values }: Schema, schemas: Schemas): string {
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1)!;
    return schemas[name]!.properties === undefined ? typeOf(schemas[name]!, schemas) : name;
  }
  if (oneOf !== undefined) return oneOf.map((it) => typeOf(it, schemas)).join(" | ");
  if (values !== undefined) return `Literal[${values.map((it) => (it === null ? "None" : JSON.stringify(it))).join(", ")}]`;
  if (type === "array") return `list[${typeOf(items!, schemas)}]`;
  const scalars = [type].flat().map((it) => SCALARS[it]);
  if (scalars.length === 0 || scalars.includes(undefined)) throw new Error(`The types for Python have none for ${String(type)}.`);
  return scalars.join(" | ");
}
