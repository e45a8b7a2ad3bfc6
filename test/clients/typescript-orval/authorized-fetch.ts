import { apiKey, apiUrl } from "../typescript-steps.ts";

// begin: first lines
/** Through which every generated function goes: the address of the service and the credential. */
export async function authorizedFetch<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers);
  if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${apiKey}`);
  const response = await fetch(`${apiUrl}${path}`, { ...options, headers });
  const isJson = /[/+]json\b/.test(response.headers.get("Content-Type") ?? "");
  return { status: response.status, headers: response.headers, data: isJson ? await response.json() : await response.blob() } as T;
}
// end
