// Loaded into every page that a test opens, to inspect it. Not a module there, so it is a property of `globalThis`.
globalThis.probe = {
  /** The elements that extend beyond the right edge, if the page scrolls sideways. */
  overflowing() {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.querySelectorAll("body *")].filter((it) => it.getBoundingClientRect().right > clientWidth + 1);
    return [
      `${scrollWidth} > ${clientWidth}: ${wide
        .slice(-3)
        .map((it) => it.outerHTML.slice(0, 120))
        .join(" | ")}`,
    ];
  },

  firstPaintMs: () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,

  /** The serious findings of axe-core in a part of the page, or in the whole page. */
  async findings(anchor) {
    const scope = (anchor && document.querySelector(`[id="${anchor.slice(2)}"]`)) || document;
    const { violations } = await axe.run(scope, { resultTypes: ["violations"] });
    return violations
      .filter((it) => ["serious", "critical"].includes(it.impact))
      .flatMap(({ id, nodes }) => nodes.map((it) => `${id}: ${it.html.slice(0, 160)}`));
  },

  /** Waits until Redoc has replaced the prerendered page. */
  alive: () => probe.until(() => Object.keys(document.querySelector("#redoc *") ?? {}).some((it) => it.startsWith("__react"))),

  /** Goes to a part of the reference page, and waits until Redoc has drawn it. */
  async visit(anchor) {
    location.hash = anchor;
    const id = anchor.slice(2);
    await probe.until(() =>
      id === ""
        ? [...document.querySelectorAll("h1")].some((it) => it.textContent.includes("Plumbline API"))
        : document.querySelector(`[id="${id}"] h2, [data-section-id="/${id}"] h2, [data-section-id="/${id}"] h3`),
    );
    await probe.quiet();
  },

  /** Resolves when nothing has changed for a moment and all animations have ended. Redoc draws in several steps. */
  async quiet() {
    await document.fonts.ready;
    await probe.unchanged();
    const passing = document.getAnimations().filter((it) => Number.isFinite(it.effect.getComputedTiming().endTime));
    await Promise.allSettled(passing.map((it) => it.finished));
  },

  unchanged: () =>
    new Promise((done) => {
      const settle = () => {
        observer.disconnect();
        done();
      };
      let timer = setTimeout(settle, 100);
      const observer = new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(settle, 100);
      });
      observer.observe(document.body, { childList: true, characterData: true, attributes: true, subtree: true });
    }),

  /** The heading of the section with this anchor. */
  async heading(anchor) {
    location.hash = anchor;
    return probe.until(() => document.querySelector(`[id="${anchor.slice(2)}"] h2`)?.innerText.trim());
  },

  /** The targets of the links that a selector finds. */
  links: (selector) => [...document.querySelectorAll(selector)].map((it) => it.getAttribute("href")),

  async until(condition) {
    for (const end = performance.now() + 60_000; !condition(); await new Promise(requestAnimationFrame)) {
      if (performance.now() > end) throw new Error(`This condition was never true: ${condition} at ${location.hash}`);
    }
    return condition();
  },

  /** The text about an operation, with the examples of its responses with these statuses. */
  async operation(anchor, statuses) {
    await probe.visit(anchor);
    const section = document.querySelector(`[id="${anchor.slice(2)}"]`);
    const panel = await probe.until(() => section.querySelector(".panel-response-samples"));
    const texts = [section.innerText, ...(await probe.examples(section.querySelector(".panel-request-samples")))];
    for (const status of statuses) {
      // A response without a body has no examples, and no button here.
      const button = [...panel.querySelectorAll("button")].find((it) => it.innerText.trim() === status);
      if (!button) continue;
      button.click();
      await new Promise((done) => setTimeout(done, 30));
      texts.push(panel.innerText, ...(await probe.examples(panel)));
    }
    return texts.join("\n");
  },

  /** The names of the examples in a panel. */
  async examples(panel) {
    const button = panel?.querySelector('button[aria-label^="Example"]');
    if (!button) return [];
    button.click();
    const open = () =>
      [...document.querySelectorAll('[role="menuitem"]')].filter((it) => it.checkVisibility() && !panel.contains(it));
    const names = (await probe.until(() => open().length > 0 && open())).map((it) => it.innerText);
    button.click();
    return names;
  },
};
