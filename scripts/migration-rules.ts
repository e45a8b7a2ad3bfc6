/**
 * Finds statements in migrations that would block requests of the running version: the relevant rules of strong_migrations and squawk.
 * test/operations/expand-only.test.ts refuses migrations that remove something.
 */

type Statement = {
  /** As it is written, with the comments before it. */
  readonly text: string;
  /** In one line, without comments, quotes, and the contents of strings and functions. */
  readonly code: string;
};

const TOKEN = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[^]*?\$\1\$|"((?:[^"]|"")*)"|;/g;

/** The statements of a script. */
export function statementsOf(sql: string): Statement[] {
  const statements: Statement[] = [];
  let [from, read, code] = [0, 0, ""];
  const end = (at: number) => {
    const bare = (code + sql.slice(read, at)).replace(/\s+/g, " ").trim();
    if (bare !== "") statements.push({ text: `${sql.slice(from, at).trim()};\n`, code: bare });
    [from, read, code] = [at + 1, at + 1, ""];
  };
  for (const { 0: token, 2: name, index } of sql.matchAll(TOKEN)) {
    if (token === ";") {
      end(index);
      continue;
    }
    code += sql.slice(read, index) + (name ?? (/^[-/]/.test(token) ? " " : "''"));
    read = index + token.length;
  }
  end(sql.length);
  return statements;
}

const CREATE_TABLE = /^CREATE (?:UNLOGGED |TEMP(?:ORARY)? )?TABLE (?:IF NOT EXISTS )?([\w.]+)/i;
const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*? ON (?:ONLY )?([\w.]+)/i;
/** Other tables that are locked against writes: the target of a foreign key, and the table of a trigger. */
const REFERENCED =
  /\bREFERENCES (?!(?:NEW|OLD) TABLE\b)([\w.]+)|^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .*? ON ([\w.]+)/gi;
const ALTER_TABLE = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?([\w.]+) (.*)$/i;
/** Statements other than ALTER TABLE that block even reads of a table. */
const EXCLUSIVE = /^(?:DROP TABLE|TRUNCATE|LOCK TABLE|DROP INDEX|ALTER INDEX|CLUSTER|VACUUM FULL|REINDEX)\b(?!.*CONCURRENTLY)/i;
/** Statements whose duration grows with the number of rows. */
const LONG = /^(?:UPDATE|DELETE|INSERT .*\bSELECT\b|ANALYZE|MERGE|COPY|DO)\b|\bVALIDATE CONSTRAINT\b|^REFRESH /i;
/** Actions of ALTER TABLE that block neither reads nor writes. */
const WEAK = /^(?:VALIDATE CONSTRAINT|ALTER (?:COLUMN )?\w+ (?:SET STATISTICS|SET \(|RESET \()|SET \(|RESET \()/i;
const ACTIONS = /,\s*(?=(?:ADD|ALTER|DROP|SET|RESET|VALIDATE|RENAME|ENABLE|DISABLE)\b)/i;

/** Actions of ALTER TABLE that process each row under a lock, with an alternative. The first matching rule counts. */
const ROW_BY_ROW: readonly (readonly [RegExp, string])[] = [
  [/^ALTER .*\bSET NOT NULL/i, "reads all rows; ADD CONSTRAINT … CHECK (… IS NOT NULL) NOT VALID, and validate it later"],
  [/^ALTER .*\bTYPE (?!(?:VARCHAR|TEXT)\b)/i, "writes all rows again; add a column, and copy the values"],
  [/^ADD .*\bUSING INDEX\b/i, ""],
  [/^ADD .*\b(?:PRIMARY KEY|UNIQUE|EXCLUDE)\b/i, "builds an index; CREATE UNIQUE INDEX CONCURRENTLY in a migration before it"],
  [/^ADD (?:CONSTRAINT \w+ )?(?:FOREIGN KEY|CHECK)\b(?!.*\bNOT VALID)/i, "reads all rows; say NOT VALID, and validate it later"],
  [/^ADD (?:COLUMN )?(?!CONSTRAINT|FOREIGN|CHECK).*\bCHECK\b/i, "reads all rows; add the constraint on its own as NOT VALID"],
  [/^ADD .*\b(?:STORED|SERIAL|BIGSERIAL|IDENTITY)\b/i, "writes all rows again; add a column that can be null"],
  [
    /^ADD .*\bDEFAULT (?!now\(|CURRENT_)\w+\s*\(/i,
    "writes all rows again; add the column without a default, and set the default after it",
  ],
];

/** The hazards of a script, as sentences for its author. With none, it can run during requests. */
export function hazardsOf(sql: string): string[] {
  const codes = statementsOf(sql).map(({ code }) => code);
  const created = new Set(codes.map((it) => CREATE_TABLE.exec(it)?.[1]));
  const hazards: string[] = [];
  const locked = new Set<string>();
  const referenced = codes.flatMap((it) => [...it.matchAll(REFERENCED)].map(([, target, table]) => target ?? table!));
  for (const code of codes) {
    const [, concurrently, indexed] = CREATE_INDEX.exec(code) ?? [];
    const [, altered = "", changes = ""] = ALTER_TABLE.exec(code) ?? [];
    if (/^(?:BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK)\b/i.test(code))
      hazards.push(`${code}: the migrator opens the transaction, and ends it`);
    if (/^SET .*_timeout\b/i.test(code)) hazards.push(`${code}: the migrator sets the time-outs`);
    if (/\bCONCURRENTLY\b/i.test(code) && codes.length > 1) hazards.push(`${code}: CONCURRENTLY needs a migration of its own`);
    if (/^DROP INDEX CONCURRENTLY (?!IF EXISTS)/i.test(code))
      hazards.push(`${code}: say IF EXISTS, so that it can be repeated if it is interrupted`);
    if (indexed !== undefined && concurrently === undefined && !created.has(indexed))
      hazards.push(
        `CREATE INDEX on ${indexed}, which exists: no row can be written meanwhile; say CONCURRENTLY, in a migration of its own`,
      );
    if (EXCLUSIVE.test(code)) locked.add(code);
    if (altered === "" || created.has(altered)) continue;
    const actions = changes.split(ACTIONS);
    if (!actions.every((it) => WEAK.test(it))) locked.add(altered);
    for (const action of actions) {
      const [, fault = ""] = ROW_BY_ROW.find(([pattern]) => pattern.test(action)) ?? [];
      if (fault !== "") hazards.push(`ALTER TABLE ${altered} ${action}: ${fault}`);
    }
  }
  const long = codes.filter((it) => LONG.test(it));
  if (locked.size > 0 && long.length > 0)
    hazards.push(`${long.join("; ")}: takes time while ${[...locked].join(", ")} is locked; use a migration of its own`);
  const others = referenced.filter((it) => !created.has(it) && !locked.has(it));
  const all = [...new Set([...locked, ...others])];
  if (locked.size > 0 && all.length > 1)
    hazards.push(`${all.join(", ")}: while it waits for one lock, it holds the others; use a migration for each`);
  return hazards;
}

/** Splits the script of Prisma's schema engine into migrations: last, one for each index of an existing table. */
export function splitIntoMigrations(sql: string): string[] {
  const statements = statementsOf(sql);
  const created = new Set(statements.map(({ code }) => CREATE_TABLE.exec(code)?.[1]));
  const isAlone = ({ code }: Statement) => {
    const [, , table] = CREATE_INDEX.exec(code) ?? [];
    return table !== undefined && !created.has(table);
  };
  const together = statements.filter((it) => !isAlone(it)).map(({ text }) => text);
  const alone = statements.filter(isAlone).map(({ text }) => text.replace(/^(CREATE (?:UNIQUE )?INDEX )/m, "$1CONCURRENTLY "));
  return [...(together.length === 0 ? [] : [together.join("\n")]), ...alone];
}
