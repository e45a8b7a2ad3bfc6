import { pathOfWebhook, resolve, type Contract, type Json, type RawOperation } from "./document.ts";

/** A copy in which a webhook is an operation that returns its event, because for clients an event is like a response. */
export function withWebhooksAsResponses(contract: Contract): Contract {
  const { webhooks = {}, ...rest } = contract as Contract & {
    readonly webhooks?: Readonly<Record<string, { readonly post: RawOperation }>>;
  };
  const events = Object.entries(webhooks).map(
    ([type, { post }]) => [pathOfWebhook(type), { post: asResponse(contract, post) }] as const,
  );
  return { ...rest, paths: { ...contract.paths, ...Object.fromEntries(events) } };
}

type Body = { readonly description?: string; readonly content: Json };

function asResponse(contract: Contract, operation: RawOperation): RawOperation {
  const { parameters = [], requestBody, responses, ...rest } = operation;
  const { description, content } = resolve<Body>(contract, requestBody!);
  const headers = parameters.map((it) => resolve(contract, it)).map(({ name, in: _, ...header }) => [String(name), header]);
  return {
    ...rest,
    parameters: [
      {
        name: "status of the response",
        in: "query",
        description: "The status that a receiver can return.",
        schema: { type: "string", enum: Object.keys(responses) },
      },
    ],
    responses: { 200: { description, headers: Object.fromEntries(headers), content } },
  };
}
