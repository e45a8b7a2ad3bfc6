import { Semaphore, type Permit } from "../../util/semaphore.ts";

/** The most open connections to receivers of a process, in total and for the endpoints of one user. */
const CONNECTIONS_MAX = 512;
const CONNECTIONS_MAX_PER_USER = 16;
/** The most open connections to one host, for all users together. */
const CONNECTIONS_MAX_PER_HOST = 64;
/** The most concurrent statements of deliveries: few, so that requests of the same process don't wait for them. */
const STATEMENTS_MAX = 4;

export type DeliveryLimits = ReturnType<typeof createDeliveryLimits>;

/** Permits for the deliveries of a process, shared fairly by users. */
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
      const removeUnused = () => {
        if (semaphore.held + semaphore.waiting === 0) hosts.delete(host);
      };
      try {
        const permit = await semaphore.acquire(userId, signal);
        return {
          [Symbol.dispose]: () => {
            permit[Symbol.dispose]();
            removeUnused();
          },
        };
      } catch (error) {
        removeUnused();
        throw error;
      }
    },
  };
}
