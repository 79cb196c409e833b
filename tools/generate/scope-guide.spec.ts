import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';

type Operations = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const guide = readFileSync(join(projectRoot, 'docs/guides/keys.md'), 'utf8');

describe.each(['Control plane', 'Platform API'])('the guide of the scopes of the %s', (title) => {
  it('lists every route in the row of its scope', () => {
    const table = guide.split(`### ${title}\n`)[1]?.split('\n#')[0] ?? '';
    const name = title.toLowerCase().replace(' ', '-');
    const document = readFileSync(join(projectRoot, 'docs/openapi', `${name}.json`), 'utf8');
    const { paths } = JSON.parse(document) as { paths: Readonly<Record<string, Operations>> };
    expect(listedRoutes(table)).toEqual(routesOf(paths));
  });
});

/** Returns `<scope> <METHOD> <path>` for each route of the tables, sorted. */
function listedRoutes(table: string): string[] {
  const rows = [...table.matchAll(/^\| (?:`([a-z:]+)`|\((no|any) key\)) +\| `([A-Z, ]+) (\/\S+)` +\|$/gm)];
  const routes = rows.flatMap(([, scope, key, methods = '', path]) =>
    methods.split(', ').map((method) => `${scope ?? (key === 'no' ? 'none' : 'any')} ${method} ${path}`),
  );
  return routes.toSorted();
}

function routesOf(paths: Readonly<Record<string, Operations>>): string[] {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) =>
        `${String(operation['x-required-scope'])} ${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    ),
  );
  return routes.toSorted();
}
