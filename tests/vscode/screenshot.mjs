// The sample project in the real editor, and the picture of it in the README.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** The extent of the picture, and of the window while it is taken. */
const SIZE = { width: 1180, height: 700 };

export const screenshotTests = {
  fixture: ({ root }) => join(root, "tests", "projects", "harbor"),

  async prepare(surroundings) {
    const workspace = surroundings.project(this.fixture(surroundings), "harbor");
    const { editor, workbench } = await surroundings.editor("sample", {
      workspace,
      size: SIZE,
      settings: {
        "workbench.colorTheme": "Default Dark Modern",
        "window.title": "Harbor",
        "breadcrumbs.enabled": false,
        "explorer.compactFolders": false,
        "editor.fontSize": 14,
        "editor.hover.above": false,
        "editor.links": false,
        "editor.stickyScroll.enabled": false,
      },
    });
    const picture =
      process.env.UPDATE_SCREENSHOTS === "1"
        ? join(surroundings.root, "docs", "images", "vscode.png")
        : join(surroundings.out, "vscode.png");
    return { ...surroundings, editor, workbench, picture };
  },

  tests: {
    async "the sample project shows a squiggle with its recipe, for a picture"({ workbench, picture }) {
      const name = "partners.py";
      await workbench.openFile(`api/harbor/${name}`);
      const place = await workbench.expectOneUnderlined(name, 'requests.get(f"https://tides.example/{port}", headers=headers)');
      const text = await workbench.hover(place, "Every outbound call has a timeout");
      assert.ok(text.includes("Outbound call without a timeout"), text);
      await workbench.enlargeHover(190);
      await workbench.settle();
      mkdirSync(dirname(picture), { recursive: true });
      await workbench.page.screenshot({ path: picture });
    },
  },
};
