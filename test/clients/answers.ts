/** The responses of a service: how many with each status, and all log lines about those with 5xx. */
export type Answers = { readonly counts: string; readonly failures: readonly string[] };

/** Counts the requests in the log of a service. A request has no status if its client left before the response. */
export function answersIn(log: readonly string[]): Answers {
  const requests = log.filter((line) => line.includes('"msg":"request"'));
  const statusOf = (line: string): string => /"status":(\d+)/.exec(line)?.[1] ?? "none";
  const idOf = (line: string): string | undefined => /"request_id":"([^"]+)"/.exec(line)?.[1];
  const byStatus = [...Map.groupBy(requests, statusOf)].sort(([one], [other]) => one.localeCompare(other));
  const failed = requests.filter((it) => statusOf(it).startsWith("5"));
  return {
    counts: `${requests.length} requests: ${byStatus.map(([status, { length }]) => `${length} x ${status}`).join(", ")}`,
    failures: log.filter((line) => failed.includes(line) || failed.some((it) => idOf(it) === idOf(line))),
  };
}
