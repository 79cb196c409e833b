import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';

type Property = Readonly<Record<string, unknown>>;

/** Without `minLength`, because an empty value in an update keeps the stored value. */
const BOUNDS = ['maxLength', 'pattern', 'minimum', 'maximum', 'maxItems'];

const schemas = readSchemas('control-plane');
const pairs = Object.keys(schemas).flatMap((create) => {
  const update = create.replace(/^Create/, 'Update');
  return update !== create && update in schemas ? [[update, create] as const] : [];
});

describe('the requests of the published documents', () => {
  it.each(pairs)('%s has the same bounds as %s', (update, create) => {
    const { [update]: updated = {}, [create]: created = {} } = schemas;
    for (const name of Object.keys(updated).filter((field) => field in created)) {
      expect([name, boundsOf(updated[name])]).toEqual([name, boundsOf(created[name])]);
    }
  });

  it('exist in pairs of create and update', () => {
    expect(pairs.length).toBeGreaterThan(5);
  });
});

function boundsOf(property: Property = {}): readonly unknown[] {
  return BOUNDS.map((bound) => property[bound]);
}

function readSchemas(name: string): Readonly<Record<string, Readonly<Record<string, Property>>>> {
  const text = readFileSync(join(projectRoot, 'docs', 'openapi', `${name}.json`), 'utf8');
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, { properties?: object }> } };
  return Object.fromEntries(
    Object.entries(components.schemas).map(([schema, { properties }]) => [
      schema,
      (properties ?? {}) as Record<string, Property>,
    ]),
  );
}
