// The catalogue of problems and its use.
import { everyOperation } from "./walk.js";

/**
 * ProblemCode.yaml is the one catalogue. Every error response says which of its codes it can carry, shows one example
 * of each, and every code is carried by some response.
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
        report({ message: "x-problems and x-extensible-enum must list the same codes, in one order.", location: at });
      }
      for (const [code, entry] of Object.entries(catalogue)) {
        const said = ["title", "meaning", "remedy"].every((it) => entry[it]?.length > 2);
        if (!said || !Number.isInteger(entry.status)) {
          report({ message: `${code} needs status, title, meaning and remedy.`, location: at.child(code) });
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
            report({ message: `The example ${name} is not among x-problem-codes.`, location });
          }
        }
        for (const code of Object.keys(catalogue).filter((it) => !carried.has(it))) {
          report({ message: `No response carries ${code}.` });
        }
      },
    },
  };
}

function* flaws(code, response, statuses, catalogue) {
  const entry = catalogue[code];
  if (!entry) return yield `${code} is not in the catalogue.`;
  for (const status of statuses) {
    const fits = status === "default" || Number(status) === entry.status;
    if (!fits) yield `${code} belongs to ${entry.status}, not to ${status}.`;
  }
  const example = response.content?.["application/problem+json"]?.examples?.[code]?.value;
  if (!example) return yield `${code} needs an example of that name.`;
  const expected = { type: `/problems/${code}`, title: entry.title, status: entry.status, code };
  for (const [field, value] of Object.entries(expected)) {
    if (example[field] !== value) yield `The example ${code} should have ${field} ${JSON.stringify(value)}.`;
  }
}
