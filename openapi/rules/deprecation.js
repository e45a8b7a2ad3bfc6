// How an operation is deprecated: COMPATIBILITY.md, section 5.
import { everyOperation, inBundle } from "./walk.js";

const DAY_MS = 86_400_000;
const NOTICE_DAYS = 180;

/** A deprecated operation has the date of its deprecation, the earliest date of its end, and a link to read more. */
export function Deprecation() {
  return everyOperation(({ operation }, { report, location }) => {
    const mark = operation["x-deprecation"];
    const isDeprecated = operation.deprecated === true;
    if (isDeprecated !== (mark !== undefined))
      report({ message: "Declare deprecated: true and x-deprecation together, or neither.", location });
    if (mark === undefined) return;
    const at = location.child("x-deprecation");
    const { deprecated_at, sunset_at, link, ...others } = mark;
    const [from, until] = [deprecated_at, sunset_at].map(midnight);
    if (Number.isNaN(from + until))
      report({ message: "deprecated_at and sunset_at must be dates in the form YYYY-MM-DD.", location: at });
    else if (until - from < NOTICE_DAYS * DAY_MS) {
      report({ message: `sunset_at must be at least ${NOTICE_DAYS} days after deprecated_at.`, location: at });
    }
    if (!/^(https:\/\/|\/)[!-;=?-~]+$/.test(link))
      report({ message: "link must be the path or the https URL of the entry in the changelog.", location: at });
    if (Object.keys(others).length)
      report({ message: `x-deprecation must not have ${Object.keys(others).join(", ")}.`, location: at });
  });
}

const midnight = (date) => (/^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN);

/**
 * Adds to the bundle the headers that the service sends: the responses of a deprecated operation have `Deprecation`,
 * `Sunset` and `Link`. So authors can't forget one, and other operations with the same shared responses don't get them.
 */
export function AnnounceDeprecation() {
  return {
    Root: {
      leave(root) {
        for (const operation of Object.values(root.paths).flatMap((item) => Object.values(item))) {
          const mark = operation["x-deprecation"];
          if (!mark) continue;
          for (const [status, response] of Object.entries(operation.responses)) {
            operation.responses[status] = announced(status, inBundle(response, root), mark, root);
          }
        }
      },
    },
  };
}

function announced(status, response, mark, root) {
  // The service can refuse a request before it knows the operation, for example under overload.
  const required = /^[23]/.test(status);
  const own = response.headers?.Link;
  const link = {
    ...(own ? inBundle(own, root) : LINK),
    description: `A link with \`rel="deprecation"\` to a page about the end of this operation.${own ? ' If there is a next page, also a link to it with `rel="next"`.' : ""}`,
    required,
    example: `<${mark.link}>; rel="deprecation"`,
  };
  const deprecation = { ...DEPRECATION, required, example: `@${midnight(mark.deprecated_at) / 1000}` };
  const sunset = { ...SUNSET, required, example: new Date(midnight(mark.sunset_at)).toUTCString() };
  return { ...response, headers: { ...response.headers, Deprecation: deprecation, Sunset: sunset, Link: link } };
}

const DEPRECATION = {
  description: "When this operation was deprecated, in seconds since 1970 (RFC 9745).",
  schema: { type: "string", maxLength: 20, pattern: "^@\\d+$" },
};

const SUNSET = {
  description: "The earliest time at which this operation can stop working (RFC 8594).",
  schema: { type: "string", maxLength: 29, pattern: "^[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$" },
};

const LINK = {
  schema: { type: "string", maxLength: 4000, pattern: '^<[^<>\\s]+>; rel="[a-z]+"(, <[^<>\\s]+>; rel="[a-z]+")*$' },
};
