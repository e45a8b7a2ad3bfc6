/** As many as the service names, see src/database/client.ts. */
const NAMES_MAX = 100;

/**
 * Names statements, so that each session parses and plans them once, as the service does. One without parameters needs no plan.
 */
export function createStatementNames(): (sql: string, parameters: readonly unknown[]) => string | undefined {
  const names = new Map<string, string>();
  return (sql, parameters) => {
    if (parameters.length > 0 && !names.has(sql) && names.size < NAMES_MAX) names.set(sql, `peer_${names.size}`);
    return names.get(sql);
  };
}
