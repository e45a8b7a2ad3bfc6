import { hash } from "node:crypto";
import { tags } from "#generated/operations.ts";
import { FAVICON } from "./favicon.ts";

type Problem = { readonly status: number; readonly title: string; readonly meaning: string; readonly remedy: string };

/** The page at the root of the service. `demo` is an example request with a key, which exists only in development. */
export function landingPage(info: { readonly title: string; readonly version: string }, demo?: string): string {
  return page(
    info.title,
    `
    <h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>
    <p>${tags.map((it) => `<a href="/docs#/${it.name.toLowerCase().replaceAll(" ", "-")}">${escaped(it.title)}</a>`).join(" · ")}</p>
    <p>One OpenAPI contract decides what this service does, and the tests check every response against it.</p>${demoNote(demo)}
    <ul class="ways">
      <li><a href="/docs">Reference</a><span>Every operation, with examples and code in four languages</span></li>
      <li><a href="/openapi.json">openapi.json</a><span>The contract, for your client generator</span></li>
      <li><a href="/openapi.yaml">openapi.yaml</a><span>The same contract, for people</span></li>
      <li><a href="/health">Health</a><span>Whether this instance is ready for requests; <a href="/health/live">whether its process is running</a></span></li>
      <li><a href="/.well-known/api-catalog">API catalog</a><span>All of these links, for programs (RFC 9727)</span></li>
    </ul>`,
  );
}

/** A section with the example request, or nothing if there is none. */
export function demoNote(demo: string | undefined): string {
  if (demo === undefined) return "";
  return `
    <section aria-label="Try it" style="padding: .75rem 1.25rem; font-family: system-ui, sans-serif">Try it as a demo user:
      <code style="overflow-wrap: anywhere">${escaped(demo)}</code></section>`;
}

/** The page at the `type` of a problem. */
export function problemPage(code: string, problem: Problem): string {
  return page(
    problem.title,
    `
    <p class="where"><a href="/">Plumbline API</a> / <a href="/docs#/section/errors">Errors</a></p>
    <h1>${escaped(problem.title)}</h1>
    <p><code>${escaped(code)}</code> <code>HTTP ${problem.status}</code></p>
    <h2>What it means</h2>
    <p>${prose(problem.meaning)}</p>
    <h2>What to do</h2>
    <p>${prose(problem.remedy)}</p>
    <p class="where">Quote the <code>request_id</code> of the response when you ask for help.</p>`,
  );
}

/** The page for a dead short link, and its Content-Security-Policy. It contains nothing from the request. */
export function deadLinkPage(code: string): { readonly html: string; readonly policy: string } {
  const [title, text] =
    code === "gone"
      ? ["This short link no longer works", "It was deleted or has expired."]
      : ["This short link does not exist", "Check the address for typing errors."];
  const html = page(
    title,
    `\n    <h1>${title}</h1>\n    <p>${text} If you need the page behind it, ask where you found the link.</p>`,
  );
  return { html, policy: `${NOTHING_ELSE}; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; img-src data:` };
}

/** The policy of a page without scripts, forms and frames. */
export const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The style of all pages. */
export const STYLE = `
      :root { color-scheme: light dark; --text: #1a1c21; --quiet: #555761; --link: #174ea6; --ground: #fff; --raised: #f3f3f6; --line: #dcdde5; }
      @media (prefers-color-scheme: dark) { :root { --text: #f3f3f6; --quiet: #b4b6c2; --link: #90c2fc; --ground: #22242b; --raised: #2f313b; --line: #4a4c57; } }
      body { font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0; }
      main { max-width: 40rem; margin: 0 auto; padding: clamp(2rem, 10vh, 6rem) 1.25rem 3rem; }
      h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .75rem; text-wrap: balance; }
      h2 { font-size: 1.15rem; margin: 2rem 0 .25rem; }
      p { margin: .25rem 0 1rem; }
      small, .where, span { color: var(--quiet); font-weight: normal; }
      .where { font-size: .9rem; margin-top: 2rem; }
      main > .where:first-child { margin-top: 0; }
      a { color: var(--link); text-underline-offset: .2em; }
      :focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 2px; }
      code { font: .9em ui-monospace, monospace; background: var(--raised); border-radius: 4px; padding: .15em .4em; }
      .ways { list-style: none; margin: 2rem 0 0; padding: 0; border-top: 1px solid var(--line); }
      .ways li { border-bottom: 1px solid var(--line); padding: .8rem 0; }
      .ways a { font-weight: 600; }
      .ways span { display: block; font-size: .95rem; }
    `;

/** A page with a title, a main part, and additional styles. */
export function page(title: string, main: string, ownStyle = ""): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="${FAVICON}">
    <style>${STYLE}${ownStyle}</style>
  </head>
  <body><main>${main}
  </main></body>
</html>
`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** In the texts of the contract, backticks mark code. */
const prose = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
