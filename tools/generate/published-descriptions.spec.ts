import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';

type Node = Readonly<Record<string, unknown>>;

interface Described {
  readonly path: string;
  readonly description: unknown;
}

/** Checks what the linter does not: it covers only operations, parameters and tags. */
describe.each(['control-plane', 'platform-api'])('the published document of the %s', (name) => {
  const document = JSON.parse(readFileSync(join(projectRoot, 'docs', 'openapi', `${name}.json`), 'utf8')) as Node;

  it.each(['properties', 'responses', 'headers'])('describes each of its %s', (kind) => {
    const described = membersOf(document, kind);
    expect(described.length).toBeGreaterThan(1);
    expect(described.filter(({ description }) => !isText(description)).map(({ path }) => path)).toEqual([]);
  });
});

/** Returns the members of every object with this key (`properties`, `responses`) at any depth, without references. */
function membersOf(node: unknown, kind: string, path = '#'): Described[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => membersOf(item, kind, `${path}/${index}`));
  if (!isNode(node)) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const members = key === kind && isNode(value) ? Object.entries(value) : [];
    const own = members.flatMap(([member, { description, $ref }]: [string, Node]) =>
      kind !== 'properties' && $ref !== undefined ? [] : [{ path: `${path}/${key}/${member}`, description }],
    );
    return [...own, ...membersOf(value, kind, `${path}/${key}`)];
  });
}

function isNode(value: unknown): value is Readonly<Record<string, Node>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
