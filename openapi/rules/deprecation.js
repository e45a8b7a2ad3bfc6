// How an operation goes away: COMPATIBILITY.md, section 5.
import { everyOperation } from "./walk.js";

const DAY_MS = 86_400_000;
const NOTICE_DAYS = 180;

/** An operation that is going to end says since when it is deprecated, until when it works, and where to read about it. */
export function Deprecation() {
  return everyOperation(({ operation }, { report, location }) => {
    const mark = operation["x-deprecation"];
    const isDeprecated = operation.deprecated === true;
    if (isDeprecated !== (mark !== undefined))
      report({ message: "deprecated: true and x-deprecation belong together.", location });
    if (mark === undefined) return;
    const at = location.child("x-deprecation");
    const { deprecated_at, sunset_at, link, ...others } = mark;
    const [from, until] = [deprecated_at, sunset_at].map(midnight);
    if (Number.isNaN(from + until)) report({ message: "deprecated_at and sunset_at are dates, YYYY-MM-DD.", location: at });
    else if (until - from < NOTICE_DAYS * DAY_MS) {
      report({ message: `There are at least ${NOTICE_DAYS} days between deprecated_at and sunset_at.`, location: at });
    }
    if (!/^(https:\/\/|\/)[!-;=?-~]+$/.test(link)) report({ message: "link leads to the entry in the changelog.", location: at });
    if (Object.keys(others).length) report({ message: `x-deprecation has no ${Object.keys(others).join(", ")}.`, location: at });
  });
}

const midnight = (date) => (/^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN);

/**
 * Declares in the bundle what the service sends: the answers of a deprecated operation have `Deprecation`, `Sunset` and
 * `Link`. Nobody has to write them, so nobody can forget one, and the shared answers stay free of them.
 */
export function AnnounceDeprecation() {
  return {
    Root: {
      leave(root) {
        for (const operation of Object.values(root.paths).flatMap((item) => Object.values(item))) {
          const mark = operation["x-deprecation"];
          if (!mark) continue;
          for (const [status, response] of Object.entries(operation.responses)) {
            operation.responses[status] = announced(status, found(response, root), mark, root);
          }
        }
      },
    },
  };
}

function announced(status, response, mark, root) {
  // An overload, or an address that cannot be read, is answered before anybody knows which operation was meant.
  const required = /^[23]/.test(status);
  const own = response.headers?.Link;
  const link = {
    ...(own ? found(own, root) : LINK),
    description: `Where to read about the end of this operation, \`rel="deprecation"\`.${own ? ' Beside it the next page, `rel="next"`, whenever there is one.' : ""}`,
    required,
    example: `<${mark.link}>; rel="deprecation"`,
  };
  const deprecation = { ...DEPRECATION, required, example: `@${midnight(mark.deprecated_at) / 1000}` };
  const sunset = { ...SUNSET, required, example: new Date(midnight(mark.sunset_at)).toUTCString() };
  return { ...response, headers: { ...response.headers, Deprecation: deprecation, Sunset: sunset, Link: link } };
}

/** What a reference inside the bundle leads to. */
const found = (node, root) =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((it, key) => it[key], root)
    : node;

const DEPRECATION = {
  description: "Since when this operation is deprecated, as seconds since 1970 (RFC 9745).",
  schema: { type: "string", maxLength: 20, pattern: "^@\\d+$" },
};

const SUNSET = {
  description: "Until when this operation works at least (RFC 8594).",
  schema: { type: "string", maxLength: 29, pattern: "^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$" },
};

const LINK = {
  schema: { type: "string", maxLength: 4000, pattern: '^<[^<>\\s]+>; rel="[a-z]+"(, <[^<>\\s]+>; rel="[a-z]+")*$' },
};
