import { isAscii } from "node:buffer";
import type { Duplex } from "node:stream";
import type pg from "pg";
import { Parser } from "pg-protocol/dist/parser.js";

type Message = { readonly name: string };
type MessageParser = {
  parse(chunk: Buffer, receive: (message: Message) => void): void;
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message;
};

/** The code of a message with a row, and the size of the length before its content (PostgreSQL, 54.7). */
const DATA_ROW = 68;
const LENGTH_BYTES = 4;
/** Of longer values, a search costs more than a conversion. */
const SEARCHED_BYTES_MAX = 200;
const NOT_ASCII = /[\x80-\xff]/;

/** The parser of pg, which converts each value of a row by a call of its own. Its types call the method private. */
class RowParser extends (Parser as unknown as new () => MessageParser) {
  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message {
    if (code !== DATA_ROW) return super.handlePacket(offset, code, length, bytes);
    return { name: "dataRow", fields: fieldsIn(bytes, offset, offset + length - LENGTH_BYTES) } as Message;
  }
}

/** The values of a row. Converts a row of ASCII by one call: its bytes and characters have the same positions. */
function fieldsIn(bytes: Buffer, start: number, end: number): (string | null)[] {
  const text = bytes.toString("latin1", start, end);
  const isPlain = isAscii(bytes.subarray(start, end));
  const fields = new Array<string | null>(bytes.readInt16BE(start));
  let offset = start + 2;
  for (let index = 0; index < fields.length; index++) {
    const length = bytes.readInt32BE(offset);
    offset += LENGTH_BYTES;
    if (length === -1) {
      fields[index] = null;
      continue;
    }
    const value = text.slice(offset - start, offset - start + length);
    fields[index] =
      isPlain || (length <= SEARCHED_BYTES_MAX && !NOT_ASCII.test(value))
        ? value
        : bytes.toString("utf8", offset, offset + length);
    offset += length;
  }
  return fields;
}

/** Makes a connection use this parser. pg calls the method for its socket, and again when TLS replaces that. */
export function parseRows(connection: pg.Connection): void {
  Object.assign(connection, {
    attachListeners(stream: Duplex): void {
      const parser = new RowParser();
      const receive = (message: Message) => connection.emit(message.name === "error" ? "errorMessage" : message.name, message);
      stream.on("data", (chunk: Buffer) => parser.parse(chunk, receive));
    },
  });
}
