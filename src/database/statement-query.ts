import type pg from "pg";
// @ts-expect-error @types/pg has no types for this file, which the package exports.
import { prepareValue } from "pg/lib/utils.js";
import type { ParseColumn } from "./column-types.ts";

/** A prepared statement, with the functions that make a row from its columns. */
export type Prepared<Row> = {
  readonly name: string;
  readonly text: string;
  readonly parsers: readonly ParseColumn[];
  readonly row: (columns: unknown[]) => Row;
};

/** What pg's own queries use of a connection, and its types lack. */
type Connection = pg.Connection & {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: object): void;
  bind(portal: object): void;
  execute(portal: object): void;
  sendCopyFail(reason: string): void;
};

/** pg's conversion of a parameter to a text or bytes. */
const toParameter = prepareValue as (value: unknown) => string | Buffer | null;

/**
 * A query of a generated statement, in place of pg's, because it knows the types of the columns: it does not send Describe, which costs
 * more than to read a row. pg queues it and calls its methods (https://node-postgres.com/apis/client, Submittable).
 */
export class StatementQuery<Row> {
  /** pg sends Parse once in a session for a name, and each time for an empty one. */
  name: string;
  readonly text: string;
  readonly rows: Row[] = [];
  rowCount = 0;
  /** Set by pg. */
  callback: ((error: Error | null, result?: this) => void) | undefined = undefined;
  readonly #prepared: Prepared<Row>;
  readonly #values: unknown[];
  #error: Error | null = null;

  constructor(prepared: Prepared<Row>, values: unknown[]) {
    this.name = prepared.name;
    this.text = prepared.text;
    this.#prepared = prepared;
    this.#values = values;
  }

  /** Writes all messages at once. Returns an error if a value has no form that PostgreSQL can read, and then writes none. */
  submit(connection: Connection): Error | null {
    const { name, text } = this;
    let values: unknown[];
    try {
      values = this.#values.map((it) => toParameter(it));
    } catch (error) {
      return error as Error;
    }
    const isParsed = name !== "" && (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]) === text;
    const { stream } = connection;
    stream.cork();
    if (!isParsed) {
      connection.parse({ name, text });
      if (name !== "") connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values });
    connection.execute({});
    connection.sync();
    stream.uncork();
    return null;
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    const { parsers, row } = this.#prepared;
    try {
      for (let index = 0; index < parsers.length; index++)
        if (fields[index] !== null) fields[index] = parsers[index]!(fields[index] as string);
      this.rows.push(row(fields));
    } catch (error) {
      this.#error ??= error as Error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // "INSERT 0 1", "SELECT 20"
    this.rowCount = Number(text.slice(text.lastIndexOf(" ") + 1));
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#error, this);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail("No source stream defined");
  }
}
