-- The form in which the search for users compares names: without accents, and in lower case. It is in an index, so its text must never
-- change: another form is another function, with another index. Marks of vowels in Indic scripts are no accents, so they stay. No
-- key is longer than a name: one character can become 18 (U+FDFA), and an index takes no row of more than 2.7 KB.
CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN left(lower(regexp_replace(normalize(name, NFKD),
  '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]',
  '', 'g')), 100);
