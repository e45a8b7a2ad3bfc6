/** How long notifications are kept, as the contract says. What is older does not exist, whether it was purged already or not. */
const KEPT_DAYS = 90;

/** The instant from which on they are kept. */
export const keptSince = (): Date => new Date(Date.now() - KEPT_DAYS * 86_400_000);

/** An entry: what has happened to one subject, once or more often, as one user is told of it. */
export type NotificationRow = {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string | null;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly resourceHref: string;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly readAt: Date | null;
};
