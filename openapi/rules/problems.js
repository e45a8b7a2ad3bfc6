// The catalogue of problems and its use.
import { everyOperation } from "./walk.js";

/**
 * ProblemCode in shared/schemas.yaml is the catalogue of problem codes. Every error response lists its codes in
 * `x-problem-codes` and has an example of each, and every code is used by a response.
 */
export function ProblemCodes() {
  const responses = new Map();
  let catalogue = {};
  const operations = everyOperation((it) => {
    for (const { status, response, location } of it.responses) {
      if (/^[123]/.test(status)) continue;
      responses.set(response, { location, statuses: new Set([...(responses.get(response)?.statuses ?? []), status]) });
    }
  });
  return {
    ...operations,
    Schema(schema, { report, location }) {
      if (!schema["x-problems"]) return;
      catalogue = schema["x-problems"];
      const at = location.child("x-problems");
      if (Object.keys(catalogue).join() !== schema["x-extensible-enum"]?.join()) {
        report({ message: "x-problems and x-extensible-enum must list the same codes in the same order.", location: at });
      }
      for (const [code, entry] of Object.entries(catalogue)) {
        const said = ["title", "meaning", "remedy"].every((it) => entry[it]?.length > 2);
        if (!said || !Number.isInteger(entry.status)) {
          report({ message: `${code} needs a status, a title, a meaning and a remedy.`, location: at.child(code) });
        }
      }
    },
    Root: {
      leave(_root, { report }) {
        const carried = new Set();
        for (const [response, { location, statuses }] of responses) {
          const codes = response["x-problem-codes"] ?? [];
          if (codes.length === 0) report({ message: "An error response needs x-problem-codes.", location });
          for (const code of codes) {
            carried.add(code);
            for (const message of flaws(code, response, statuses, catalogue)) report({ message, location });
          }
          const examples = Object.keys(response.content?.["application/problem+json"]?.examples ?? {});
          for (const name of examples.filter((it) => !codes.includes(it))) {
            report({ message: `The example ${name} is not listed in x-problem-codes.`, location });
          }
        }
        for (const code of Object.keys(catalogue).filter((it) => !carried.has(it))) {
          report({ message: `No response has ${code} in x-problem-codes.` });
        }
      },
    },
  };
}

function* flaws(code, response, statuses, catalogue) {
  const entry = catalogue[code];
  if (!entry) return yield `${code} is not in the catalogue, ProblemCode in shared/schemas.yaml.`;
  for (const status of statuses) {
    const fits = status === "default" || Number(status) === entry.status;
    if (!fits) yield `${code} has the status ${entry.status} in the catalogue, not ${status}.`;
  }
  const example = response.content?.["application/problem+json"]?.examples?.[code]?.value;
  if (!example) return yield `Add an example named ${code}.`;
  const expected = { type: `/problems/${code}`, title: entry.title, status: entry.status, code };
  for (const [field, value] of Object.entries(expected)) {
    if (example[field] !== value) yield `In the example ${code}, ${field} must be ${JSON.stringify(value)}.`;
  }
}
