import { describe, expect, it } from "@jest/globals";
import { readersEdition } from "../../scripts/generate/docs/readers-edition.ts";
import { contract } from "../support/contract.ts";

type Part = { readonly "x-stability"?: string; readonly description: string };

/** Every operation, parameter and response of a document, with its name. */
function partsOf(document: object): [name: string, part: Part][] {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Part & { responses?: Record<string, Part> }>>;
    components: Record<"parameters" | "responses", Record<string, Part>>;
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, it]) => [`${method} ${path}`, it] as const),
  );
  const answers = operations.flatMap(([name, { responses = {} }]) =>
    Object.entries(responses).map(([status, it]): [string, Part] => [`${name} ${status}`, it]),
  );
  const shared = [components.parameters, components.responses].flatMap((it) => Object.entries(it));
  return [...operations.map(([name, it]): [string, Part] => [name, it]), ...answers, ...shared];
}

describe("the experimental part of the contract", () => {
  it("is marked as experimental in the reference, and nothing else is", () => {
    const parts = partsOf(readersEdition(contract));
    const marked = parts.filter(([, it]) => it["x-stability"] === "experimental").map(([name]) => name);
    const said = parts.filter(([, it]) => it.description?.includes("**Experimental")).map(([name]) => name);
    expect(said).toEqual(marked);
    expect(marked).toEqual(
      expect.arrayContaining(["get /video-uploads/{job_id}/transfer", "post /video-uploads 204", "UploadComplete"]),
    );
  });

  it("includes every operation that only resumable uploads have", () => {
    const item = Object.entries(contract.paths).find(([path]) => path.endsWith("/transfer"))![1];
    const operations = ["get", "patch", "delete"].map((method) => item[method] as Part);
    expect(operations.map((it) => it["x-stability"])).toEqual(["experimental", "experimental", "experimental"]);
  });
});
