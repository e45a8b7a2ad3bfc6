/** What a service has answered: how many requests with each status, and the lines of its log for those with 5xx. */
export type Answers = { readonly counts: string; readonly failures: readonly string[] };

/** Counts the requests in the log of a service. A request has no status if its client left before the answer. */
export function answersIn(log: readonly string[]): Answers {
  const requests = log.filter((line) => line.includes('"msg":"request"'));
  const statusOf = (line: string): string => /"status":(\d+)/.exec(line)?.[1] ?? "none";
  const byStatus = [...Map.groupBy(requests, statusOf)].sort(([one], [other]) => one.localeCompare(other));
  return {
    counts: `${requests.length} requests: ${byStatus.map(([status, { length }]) => `${length} x ${status}`).join(", ")}`,
    failures: requests.filter((it) => statusOf(it).startsWith("5")),
  };
}
