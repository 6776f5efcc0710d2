// A code-server with its own folders, and the browser's view of its workbench.

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";

import { start, until } from "./processes.mjs";

/** What every window of the test starts with. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "workbench.reduceMotion": "on",
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  // The browser's default saves by itself; the test decides when to save.
  "files.autoSave": "off",
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  // A cursor that blinks never comes to rest.
  "editor.cursorBlinking": "solid",
  "editor.accessibilitySupport": "off",
  "editor.lightbulb.enabled": "off",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "[markdown]": { "editor.wordWrap": "off" },
  // Only our server's findings are looked at.
  "typescript.validate.enable": false,
  "javascript.validate.enable": false,
  "git.enabled": false,
  "telemetry.telemetryLevel": "off",
};

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** Starts the editor on `workspace` and resolves when it answers. */
export async function startEditor(installed, { folder, extensions, workspace, settings, args }) {
  const data = join(folder, "data");
  mkdirSync(join(data, "User"), { recursive: true });
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify({ ...SETTINGS, ...settings }, undefined, 2));
  const port = await freePort();
  const server = start(
    installed.node,
    [
      installed.entry,
      ...["--bind-addr", `127.0.0.1:${port}`, "--auth", "none"],
      ...["--disable-telemetry", "--disable-update-check"],
      ...["--user-data-dir", data, "--extensions-dir", extensions],
      ...args,
      workspace,
    ],
    { cwd: folder, env: environment(folder) },
  );
  const address = `http://127.0.0.1:${port}`;
  try {
    await until("code-server answers", async () => {
      if (!server.running()) {
        throw new Error(server.output());
      }
      return (await fetch(`${address}/healthz`)).ok;
    }, 60_000);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, address, workspace };
}

/** The environment without what the caller's own editor may have left in it. */
export function environment(home) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:VSCODE|ASD|CODE_SERVER|npm)_/u.test(name));
  return { ...Object.fromEntries(kept), HOME: home, XDG_CACHE_HOME: join(home, "cache"), XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "share") };
}

/** Starts the browser. */
export async function startBrowser(installed) {
  const { chromium } = createRequire(join(installed.playwright, "package.json"))(installed.playwright);
  return chromium.launch({
    executablePath: installed.chromium,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"],
  });
}

/** One window of the editor, driven as a person does. */
export class Workbench {
  static async open(browser, editor, { size = { width: 1280, height: 800 } } = {}) {
    const context = await browser.newContext({ viewport: size, locale: "en-US" });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${editor.address}/?folder=${encodeURIComponent(editor.workspace)}`);
    await page.locator(".monaco-workbench .part.editor").waitFor({ timeout: 60_000 });
    return new Workbench(page, context);
  }

  constructor(page, context) {
    this.page = page;
    this.context = context;
  }

  async close() {
    await this.context.close();
  }

  /** Chooses the entry of a quick pick that has this text. */
  async choose(opening, input, entry) {
    const widget = this.page.locator(".quick-input-widget");
    const row = widget.locator(".monaco-list-row", { hasText: entry }).first();
    await until(`"${entry}" can be chosen`, async () => {
      if (await widget.isVisible()) {
        await this.page.keyboard.press("Escape");
        await widget.waitFor({ state: "hidden", timeout: 3000 });
      }
      await this.page.keyboard.press(opening);
      await widget.locator("input").first().waitFor({ timeout: 3000 });
      await widget.locator("input").first().fill(input);
      await row.waitFor({ timeout: 3000 });
      return true;
    }, 30_000);
    await row.click();
    // What was chosen may ask for more in the same place.
    await row.waitFor({ state: "hidden" });
  }

  /** Chooses an entry of the list that is open. */
  async pick(entry) {
    const widget = this.page.locator(".quick-input-widget");
    await widget.locator("input").first().fill(entry);
    await widget.locator(".monaco-list-row", { has: this.page.getByText(entry, { exact: true }) }).first().click();
    await widget.waitFor({ state: "hidden" });
  }

  /** Answers the question with this title; without an answer, the suggestion is taken. */
  async answer(title, text) {
    const widget = this.page.locator(".quick-input-widget", { hasText: title });
    await widget.waitFor();
    if (text !== undefined) {
      await widget.locator("input").first().fill(text);
    }
    await this.page.keyboard.press("Enter");
    await widget.waitFor({ state: "hidden" });
  }

  /** Runs a command of the palette by its title. */
  async run(title) {
    await this.choose("F1", `>${title}`, title);
  }

  /** Opens a file of the workspace in the group that has the focus. */
  async openFile(path) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    await this.choose("Control+p", path, name);
    await this.page.locator(".editor-group-container.active .tab.active", { hasText: name }).waitFor();
    await this.editor(name).locator(".view-line").first().waitFor();
  }

  /** The text editor that shows a file. */
  editor(name) {
    return this.page
      .locator([`/${name}`, `:${name}`].map((end) => `.editor-instance .monaco-editor[data-uri$="${end}"]`).join(", "))
      .first();
  }

  /** The visible text of an editor, line by line. */
  async text(name) {
    const lines = await this.editor(name)
      .locator(".view-lines .view-line")
      .evaluateAll((elements) =>
        elements
          .map((element) => ({ top: Number.parseFloat(element.style.top), text: element.textContent }))
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text),
      );
    return lines.map((line) => line.replaceAll("\u00a0", " ")).join("\n");
  }

  /** Chooses a code action at the cursor by its title. */
  async chooseAction(title) {
    const menu = this.page.locator(".action-widget");
    const action = menu.locator(".monaco-list-row", { hasText: title }).first();
    // The menu closes again when something else is told about the file while it
    // opens, as the editor's own TypeScript service does after its start.
    await until(`the action ${JSON.stringify(title)} is chosen`, async () => {
      await this.run("Quick Fix...");
      await action.waitFor({ timeout: 3000 });
      await action.click({ timeout: 1000 });
      return true;
    }, 30_000);
    await menu.first().waitFor({ state: "hidden" });
  }

  /** Puts the cursor at a line and column (from 1) of the focused editor. */
  async goTo(line, column) {
    await this.page.keyboard.press("Control+g");
    const input = this.page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /**
   * The places on the screen of everything that is underlined in an editor, and
   * of the text that should be: `{ squiggles: [{left, right, top}], texts }`.
   */
  async underlined(name, expected) {
    return this.editor(name).evaluate((editor, wanted) => {
      const box = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
      const squiggles = [...editor.querySelectorAll(".cdr[class*='squiggly-']")]
        .map((element) => ({ ...box(element.getBoundingClientRect()), kind: element.className }))
        .filter(({ left, right }) => right > left);
      const texts = [];
      for (const line of editor.querySelectorAll(".view-lines .view-line")) {
        const walker = document.createTreeWalker(line, 4);
        const nodes = [];
        let all = "";
        while (walker.nextNode()) {
          nodes.push({ node: walker.currentNode, start: all.length });
          all += walker.currentNode.data;
        }
        const find = wanted.replaceAll(" ", "\u00a0");
        for (let at = all.indexOf(find); at >= 0; at = all.indexOf(find, at + 1)) {
          const locate = (offset) => nodes.findLast(({ start }) => start <= offset);
          const first = locate(at);
          const last = locate(at + find.length - 1);
          const range = document.createRange();
          range.setStart(first.node, at - first.start);
          range.setEnd(last.node, at + find.length - last.start);
          texts.push(box(range.getBoundingClientRect()));
        }
      }
      return { squiggles, texts };
    }, expected);
  }

  /** Waits until exactly these occurrences (from 0) of a text are underlined. */
  async expectUnderlined(name, text, occurrences, total = occurrences.length, timeoutMs = 20_000) {
    let seen;
    await until(
      `exactly ${JSON.stringify(text)} (occurrences ${occurrences.join(", ")}) is underlined in ${name}`,
      async () => {
        seen = await this.underlined(name, text);
        return (
          seen.squiggles.length === total &&
          occurrences.every((index) => seen.texts[index] && seen.squiggles.some((squiggle) => covers(squiggle, seen.texts[index])))
        );
      },
      timeoutMs,
    ).catch((error) => {
      throw new Error(`${error.message}; seen: ${JSON.stringify(seen)}`);
    });
    return seen.texts[occurrences[0]];
  }

  /** Waits until the first occurrence of a text is underlined, among others. */
  async expectOneUnderlined(name, text) {
    return until(`${JSON.stringify(text)} is underlined in ${name}`, async () => {
      const { squiggles, texts } = await this.underlined(name, text);
      return texts[0] && squiggles.some((squiggle) => covers(squiggle, texts[0])) && texts[0];
    }, 60_000);
  }

  /** Waits until the window looks the same twice in a row. */
  async settle() {
    let before = await this.page.screenshot();
    await until("the window is at rest", async () => {
      const now = await this.page.screenshot();
      const same = now.equals(before);
      before = now;
      return same;
    });
  }

  async expectNothingUnderlined(name) {
    await until(`nothing is underlined in ${name}`, async () => {
      const { squiggles } = await this.underlined(name, "\u0000");
      return squiggles.length === 0;
    });
  }

  /** Shows the hover at a place and returns its text when it holds a word. */
  async hover(place, word) {
    const hover = this.page.locator(".monaco-hover:not(.hidden) .monaco-hover-content");
    return until(`the hover says ${JSON.stringify(word)}`, async () => {
      // The widget opens for a pointer that moves and then rests.
      await this.page.mouse.move(place.left + 2, place.top - 40);
      await this.page.mouse.move((place.left + place.right) / 2, (place.top + place.bottom) / 2, { steps: 4 });
      await hover.filter({ hasText: word }).first().waitFor({ timeout: 3000 });
      return (await hover.allInnerTexts()).join("\n");
    });
  }

  /** Draws the lower edge of a hover below its text, as a person does to read it all. */
  async enlargeHover(pixels) {
    const box = await this.page.locator(".monaco-resizable-hover .monaco-hover").first().boundingBox();
    const edge = { x: box.x + 40, y: box.y + box.height };
    await this.page.mouse.move(edge.x, edge.y - 40, { steps: 8 });
    await this.page.mouse.move(edge.x, edge.y, { steps: 8 });
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x, edge.y + pixels, { steps: 8 });
    await this.page.mouse.up();
    // Off the edge, which is coloured while the pointer is on it.
    await this.page.mouse.move(edge.x, edge.y + pixels - 40, { steps: 8 });
  }

  async isDirty(name) {
    return (await this.page.locator(".tab.dirty", { hasText: name }).count()) > 0;
  }

  /** The texts of the notifications that are on the screen. */
  async notifications() {
    return this.page.locator(".notification-toast .notification-list-item-message").allInnerTexts();
  }
}

// Squiggles are drawn below the text: only the horizontal extent must agree,
// and the line.
function covers(squiggle, text) {
  const close = (a, b) => Math.abs(a - b) < 1.5;
  return (
    close(squiggle.left, text.left) && close(squiggle.right, text.right) && squiggle.top < text.bottom && squiggle.bottom > text.top
  );
}
