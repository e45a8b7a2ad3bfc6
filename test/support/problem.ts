/** The response with this problem, for `toMatchObject`. `more` are other members of the problem. */
export const problem = (status: number, code: string, more: object = {}) => ({ status, body: { code, ...more } });
