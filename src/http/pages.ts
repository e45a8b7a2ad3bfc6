type Problem = { readonly status: number; readonly title: string; readonly meaning: string; readonly remedy: string };

/** What somebody sees who opens the service in a browser. */
export function landingPage(info: { readonly title: string; readonly version: string }): string {
  return page(info.title, `
    <h1>${escaped(info.title)} <small>${escaped(info.version)}</small></h1>
    <p>Short URLs, notifications, video uploads, conversations and posts, decided by one OpenAPI contract.</p>
    <ul>
      <li><a href="/docs">Reference</a>: every operation, with examples</li>
      <li><a href="/openapi.json">openapi.json</a> and <a href="/openapi.yaml">openapi.yaml</a>: the contract, for your client generator</li>
      <li><a href="/.well-known/api-catalog">API catalog</a> (RFC 9727)</li>
      <li><a href="/health">Health</a></li>
    </ul>`);
}

/** What a problem's `type` leads to: the code explained, and what to do about it. */
export function problemPage(code: string, problem: Problem): string {
  return page(problem.title, `
    <h1>${escaped(problem.title)}</h1>
    <p><code>${escaped(code)}</code> · HTTP status ${problem.status}</p>
    <h2>What it means</h2>
    <p>${prose(problem.meaning)}</p>
    <h2>What to do</h2>
    <p>${prose(problem.remedy)}</p>
    <p><a href="/docs">Reference</a></p>`);
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
      small { font-weight: normal; opacity: .7; }
      code { font-size: .95em; }
    </style>
  </head>
  <body><main>${main}</main></body>
</html>
`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The catalogue's text marks names with backquotes. */
const prose = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
