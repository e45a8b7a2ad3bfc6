import { apiKey, apiUrl } from "../typescript-steps.ts";

// begin: first lines
export type RequestConfig<Body = unknown> = {
  method: string; url: string; params?: object; data?: Body; headers?: object; redirect?: RequestRedirect;
};
export type Client = <Data, _Error, Body>(config: RequestConfig<Body>) => Promise<{ status: number; headers: Headers; data: Data }>;
export type ResponseErrorConfig<Error> = Error;

/** What a call throws if it is refused. `problem` is not checked yet. */
export class Refusal extends Error {
  readonly problem: unknown;
  constructor(problem: unknown) {
    super("refused");
    this.problem = problem;
  }
}

/** Through which every generated function goes: the address of the service and the credential. */
const authorizedFetch: Client = async ({ url, params = {}, data, headers = {}, ...config }) => {
  const pairs = (values: object) => Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]);
  const isBytes = data instanceof Blob;
  const sent = new Headers(pairs(headers));
  sent.set("Authorization", `Bearer ${apiKey}`);
  if (data !== undefined && !isBytes) sent.set("Content-Type", "application/json");
  const body = data === undefined ? null : isBytes ? data : JSON.stringify(data);
  const response = await fetch(`${apiUrl}${url}?${new URLSearchParams(pairs(params))}`, { ...config, headers: sent, body });
  const isJson = /[/+]json\b/.test(response.headers.get("Content-Type") ?? "");
  const answer: unknown = isJson ? await response.json() : new File([await response.blob()], "body");
  if (response.status >= 400) throw new Refusal(answer);
  return { status: response.status, headers: response.headers, data: answer as never };
};
export default authorizedFetch;
// end
