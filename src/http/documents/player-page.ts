import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { NOTHING_ELSE, page, STYLE } from "./pages.ts";

const OWN_STYLE = `
      form, .controls { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; }
      label { display: grid; gap: .2rem; font-size: .9rem; color: var(--quiet); }
      .wide { flex: 1 1 14rem; }
      input, select, button { font: inherit; font-size: 1rem; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px; padding: .45rem .7rem; min-width: 0; }
      button { background: var(--raised); cursor: pointer; }
      button:hover { border-color: var(--link); color: var(--link); }
      #videos { list-style: none; margin: 1.25rem 0 0; padding: 0; }
      #videos li { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; padding: .3rem 0; overflow-wrap: anywhere; }
      #player { margin-top: 1.5rem; }
      video { display: block; width: 100%; aspect-ratio: 16 / 9; background: #000; border-radius: 6px; margin-bottom: .75rem; }
      #seek { position: relative; margin-bottom: .75rem; }
      #seek input { width: 100%; padding: 0; }
      #tile { position: absolute; bottom: 100%; border-radius: 4px; pointer-events: none; }
      #state { min-height: 1.6em; border-left: 3px solid var(--line); padding-left: .75rem; margin-top: 1.25rem; }
      #state[data-kind=stopped] { border-color: #d93025; }
      [hidden] { display: none !important; }
    `;

const MAIN = `
    <p class="where"><a href="/">Plumbline API</a> / <a href="/docs#tag/Playback">Playback</a></p>
    <h1>Player</h1>
    <p id="about">Play your videos by links that need no token. The page sends your token only to ask for your videos and for new
      links, and forgets it when you close it.</p>
    <form id="ask">
      <label class="wide">Token <input id="token" type="password" autocomplete="off" spellcheck="false" required></label>
      <label>Links work for <select id="seconds"><option value="60">1 minute</option><option value="600">10 minutes</option><option value="3600" selected>1 hour</option><option value="86400">24 hours</option></select></label>
      <button>Show my videos</button>
    </form>
    <ul id="videos"></ul>
    <section id="player" aria-label="Video" hidden>
      <video controls playsinline preload="metadata"><track kind="metadata" default></video>
      <label id="seek">Seek <input type="range" min="0" step="any"><span id="tile" hidden></span></label>
      <div class="controls">
        <label>Quality <select id="quality"></select></label>
        <button id="renew" type="button">Get new links</button>
        <a id="share" target="_blank" rel="noopener">Open in a tab without the token</a>
      </div>
    </section>
    <p id="state" role="status"></p>
    <script type="module" src="/docs/player.js"></script>`;

/** The page that plays videos by links, with its Content-Security-Policy and script. */
export const playerPage = {
  html: page("Player: Plumbline API", MAIN, OWN_STYLE),
  policy: [
    NOTHING_ELSE,
    "script-src 'self'",
    `style-src 'sha256-${hash("sha256", STYLE + OWN_STYLE, "base64")}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
  ].join("; "),
  script: readFileSync(new URL("player.mjs", import.meta.url)),
};
