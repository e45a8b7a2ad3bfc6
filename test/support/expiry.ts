/**
 * Calls `use` with a near expiry until it returns before that expiry. On a busy machine, the first use of something can take
 * longer than the time until a near expiry.
 */
export async function usedBeforeExpiry<T>(use: (expiresAt: Date) => Promise<T>): Promise<T> {
  for (let ms = 1_500; ; ms *= 2) {
    const expiresAt = new Date(Date.now() + ms);
    const result = await use(expiresAt);
    if (Date.now() < expiresAt.getTime()) return result;
  }
}
