import { Semaphore, type Permit } from "../../util/semaphore.ts";

/** How many connections to receivers a process has open, and how many of them are for the endpoints of one user. */
const CONNECTIONS_MAX = 512;
const CONNECTIONS_MAX_PER_USER = 16;
/** How many of the connections go to one host, whichever users name it. */
const CONNECTIONS_MAX_PER_HOST = 64;
/** How many statements of deliveries run at a time: so few that the requests of the same process never wait behind them. */
const STATEMENTS_MAX = 4;

export type DeliveryLimits = ReturnType<typeof createDeliveryLimits>;

/** What the deliveries of a process share. Each user has a share of it, and users take turns. */
export function createDeliveryLimits() {
  const connections = new Semaphore({ max: CONNECTIONS_MAX, maxPerKey: CONNECTIONS_MAX_PER_USER, sharesPermits: true });
  const statements = new Semaphore({ max: STATEMENTS_MAX });
  const hosts = new Map<string, Semaphore>();
  return {
    connections,
    statements,
    /** Waits for a permit for a connection to a host. */
    async acquireHost(host: string, userId: string, signal: AbortSignal): Promise<Permit> {
      const semaphore = hosts.get(host) ?? new Semaphore({ max: CONNECTIONS_MAX_PER_HOST, sharesPermits: true });
      hosts.set(host, semaphore);
      const leave = () => {
        if (semaphore.held + semaphore.waiting === 0) hosts.delete(host);
      };
      try {
        const permit = await semaphore.acquire(userId, signal);
        return {
          [Symbol.dispose]: () => {
            permit[Symbol.dispose]();
            leave();
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
