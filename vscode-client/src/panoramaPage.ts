// The page of the panorama in the colours of the editor. Pure.

const DARK = "@media(prefers-color-scheme:dark)";

/**
 * The page follows the colours of the system; in an editor those of its theme
 * count, which may be others.
 */
export function themed(page: string, dark: boolean): string {
  return page
    .replaceAll(DARK, dark ? "@media all" : "@media not all")
    .replace("color-scheme:light dark", `color-scheme:${dark ? "dark" : "light"}`);
}
