// Words that the contract must not use, and what to write instead.

/** Each pattern with the better wording. Code in backticks is not checked. */
const PLAIN_WORDS = [
  // The reader is "you".
  [/(?:^|[.:;] )Who\b(?![^.|]*\?)/m, 'a sentence with "you" or "if you"'],
  [/\bwho(?:m|so)?ever\b/i, '"you", "a client" or "a user"'],
  [/\bthe one who\b/i, '"the user who", or a name for the role'],
  [/\bone's\b|\boneself\b/i, '"your"'],
  [/\b(?:the|a) caller(?:'s)?\b/i, '"you" or "your"'],
  [/\bsomebody(?: else)?\b/i, '"another user" or "someone"'],
  [/\b(?:any|every)body\b/i, '"anyone", "everyone" or "every user"'],
  // A request returns a status.
  [/\bshall\b/i, 'the present tense, or "must"'],
  [/\b(?:is|are|be) answered (?:with|as|by|\d{3})/i, '"returns" or "you get"'],
  [/\banswers? (?:with )?\d{3}\b/i, '"returns" and the status'],
  [/\b(?:meets?|meeting) \d{3}\b/i, '"returns" or "you get", and the status'],
  [/\b(?:the|an|this|each|every|first|last|lost) answers?\b/i, '"response"'],
  [/\brepetitions?\b/i, '"retry"'],
  [/\bdraws? on\b/i, '"counts towards"'],
  // One term for each thing.
  [/(?<!storage )\bquotas?\b/i, '"rate limit", or "storage quota"'],
  [/\bintermediar(?:y|ies)\b/i, '"proxy"'],
  [/\bidempotent key\b/i, '"idempotency key"'],
  // English that sounds translated, long or witty.
  [/\bgo(?:es|ing|ne)? on\b|\bwent on\b/i, '"continue" or "resume"'],
  [/\b(?:under|on the|on its) way\b/i, '"in progress", or "in transit" for bytes'],
  [/\b(?:has|have|had) come\b/i, '"has arrived"'],
  [/\bfor ?ever\b/i, '"permanently"'],
  [/\bmeanwhile\b|\bin the meantime\b/i, '"while", and what is happening'],
  [/\bLeft out,/, '"If you leave it out,"'],
  [/\bunless configured otherwise\b/i, '"by default"'],
  [/\b(?:that|it) is so\b|\bas is\b|\banew\b|\bjust now\b|\bhereby\b|\bthereof\b|\btherein\b/i, "fewer or plainer words"],
  [/\bgiven out\b/i, '"used", "issued" or "returned"'],
  [/\bin order to\b/i, '"to"'],
  [/\b(?:an|the) open set\.|\bopen set:/i, '"More values may be added."'],
  [/\bdecides? by\b/i, '"branch on"'],
  [/\b(?:share in the capacity|where you stand|survives a crash|stands for the state)\b/i, "what happens, in plain words"],
  [/\bfor good\b/i, '"permanently"'],
  [/\b(?:please|simply|obviously|easily|utili[sz]e|leverage)\b/i, "nothing: leave the word out"],
];

/** What to change in a text: the words found and the better wording. */
export function plainWordFlaws(text) {
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, "``").replaceAll(/(?<=\S)\n(?=[^\s|#>*0-9-])/g, " ");
  return PLAIN_WORDS.flatMap(([pattern, better]) => {
    const found = pattern.exec(prose);
    return found ? [`Instead of "${found[0].replace(/^[.:;] /, "")}", write ${better}.`] : [];
  });
}
