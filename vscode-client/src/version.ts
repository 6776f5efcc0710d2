// Versions as `asd --version` prints them.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The text after the numbers, such as `-beta.1`. */
  readonly rest: string;
}

/** Reads `asd 1.2.3` or a bare version; `undefined` for anything else. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(?:asd\s+)?(\d+)\.(\d+)\.(\d+)(\S*)/u.exec(text.trim());
  if (match === null) {
    return undefined;
  }
  const [, major, minor, patch, rest] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), rest: rest ?? "" };
}

export function formatVersion(version: Version): string {
  return `${String(version.major)}.${String(version.minor)}.${String(version.patch)}${version.rest}`;
}

/**
 * Whether a server and this extension understand each other: before 1.0 the
 * minor number must agree, from then on the major number.
 */
export function isCompatible(server: Version, extension: Version): boolean {
  return server.major === extension.major && (server.major > 0 || server.minor === extension.minor);
}
