const pageTitle = document.title;

// What Redoc lacks: markup for keyboards and screen readers, and titles. Added after each change of the page.
const repairs = {
  // Tabs, history and bookmarks show what is read: the last heading in the upper third of the window.
  main: (main) => {
    const passed = [...main.querySelectorAll("h2")].filter((it) => it.getBoundingClientRect().top < innerHeight / 3);
    const heading = passed.at(-1)?.textContent.trim();
    const title = heading ? `${heading} – ${pageTitle}` : pageTitle;
    if (document.title !== title) document.title = title;
  },
  // A box that scrolls sideways must be focusable, or the arrow keys can't scroll it.
  "main pre, main .md-table-wrapper": (box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  },
  // The name of a button contains its text.
  "button[aria-haspopup][aria-label]": (button) => {
    button.dataset.kind ??= button.ariaLabel;
    const name = [button.dataset.kind, button.textContent].filter(Boolean).join(": ");
    if (button.ariaLabel !== name) button.ariaLabel = name;
  },
  '[data-testid="search-trigger"]': (field) => {
    if (field.role === "button") return;
    field.role = "button";
    field.tabIndex = 0;
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") field.click();
    });
  },
  ".menu-content": (menu) => {
    menu.role = "navigation";
    menu.ariaLabel = "Reference";
  },
};

let isPlanned = false;
const repair = () => {
  isPlanned = false;
  for (const [selector, mend] of Object.entries(repairs)) document.querySelectorAll(selector).forEach(mend);
};
const plan = () => {
  if (!isPlanned) requestAnimationFrame(repair);
  isPlanned = true;
};
new MutationObserver(plan).observe(document.body, { childList: true, characterData: true, subtree: true });
for (const change of ["resize", "scroll"]) addEventListener(change, plan, { passive: true });
