// Rules of this contract that redocly.yaml can't express by configuration.
import * as deprecation from "./deprecation.js";
import * as entityTags from "./entity-tags.js";
import { CurrentVersion, FillExamples } from "./filled-examples.js";
import { ImplyResponses } from "./implied-responses.js";
import { InheritHeaders } from "./inherited-headers.js";
import * as links from "./links.js";
import * as operations from "./operations.js";
import * as problems from "./problems.js";
import * as prose from "./prose.js";
import * as schemas from "./schemas.js";
import * as sets from "./sets.js";
import * as stability from "./stability.js";
import { Texts } from "./texts.js";

export default function plumbline() {
  return {
    id: "plumbline",
    rules: {
      oas3: {
        typed: schemas.Typed,
        "string-bounds": schemas.StringBounds,
        "plain-formats": schemas.PlainFormats,
        "integer-bounds": schemas.IntegerBounds,
        "array-bounds": schemas.ArrayBounds,
        "plain-shapes": schemas.PlainShapes,
        "request-closed": schemas.RequestClosed,
        "response-open": schemas.ResponseOpen,
        "may-grow": schemas.MayGrow,
        "defaults-valid": schemas.DefaultsValid,
        "regex-valid": schemas.RegexValid,
        texts: Texts,
        "named-sets": sets.NamedSets,
        nouns: operations.Nouns,
        "path-parameters-first": operations.PathParametersFirst,
        outcomes: operations.Outcomes,
        headers: operations.Headers,
        "entity-tags": entityTags.EntityTags,
        bodies: operations.Bodies,
        paged: operations.Paged,
        idempotency: operations.Idempotency,
        deprecation: deprecation.Deprecation,
        stability: stability.Stability,
        access: operations.Access,
        "links-resolve": links.LinksResolve,
        "problem-codes": problems.ProblemCodes,
        described: prose.Described,
        "short-descriptions": prose.ShortDescriptions,
        "plain-words": prose.PlainWords,
        examples: prose.Examples,
      },
    },
    preprocessors: { oas3: { "imply-responses": ImplyResponses } },
    decorators: {
      oas3: {
        "list-scopes": operations.ListScopes,
        "fill-examples": FillExamples,
        "current-version": CurrentVersion,
        "inherit-headers": InheritHeaders,
        "announce-deprecation": deprecation.AnnounceDeprecation,
      },
    },
  };
}
