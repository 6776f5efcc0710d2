#!/usr/bin/env node
// it's a "comment" with `marks`
const path = /[/"'`]+\/x/gi; /* "not a string" */
const half = total / count / 2;
const text = `a ${list.map((x) => `<${x.name ?? 'none'}>`).join("")} // no comment ${{ a: 1 }.a}`;
/** Says "hi". */
export function hi(name: string): string {
  if (/^\d+$/.test(name)) return 'it\'s ' + name!.length / 2;
  return name.replace(/"/g, "\"") + '饼干';
}
type Key = `get${string}`;
