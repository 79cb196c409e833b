import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { filtersOf, RESOURCES, type Resource } from './resources.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly 'application/json': { schema: Schema } } }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const read = (name: string): Document =>
  JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi', `${name}.json`), 'utf8')) as Document;
const controlPlane = read('control-plane');
const platformApi = read('platform-api');
const documentOf = ({ api }: Resource): Document => (api === 'platform' ? platformApi : controlPlane);

function fieldsOf(document: Document, schema: Schema): string[] {
  const name = schema.$ref?.split('/').at(-1);
  const { properties = {}, items } = name === undefined ? schema : (document.components.schemas[name] ?? {});
  if (items !== undefined) return fieldsOf(document, items);
  const list = Object.values(properties).find(({ type }) => type === 'array');
  // The body of a page, whose rows are in its array.
  if (list !== undefined && 'next_cursor' in properties) return fieldsOf(document, list);
  return Object.keys(properties);
}

function responseFields(resource: Resource, path: string, method = 'get'): string[] {
  const document = documentOf(resource);
  const { responses } = document.paths[path]![method]!;
  return fieldsOf(document, (responses['200'] ?? responses['201'])!.content!['application/json'].schema);
}

/** List routes of items that are not resources of their own, or that the table contains under another route. */
const NOT_LISTED = {
  'control-plane': ['/api/v1/executions', '/api/v1/models/providers', '/api/v1/runtimes', '/api/v1/worker-queue-load'],
  'platform-api': ['/api/v1/agents', '/api/v1/workflows'],
};

describe('the table of resources', () => {
  it.each([
    ['control-plane', controlPlane],
    ['platform-api', platformApi],
  ] as const)('contains every list route of the %s', (name, { paths }) => {
    const published = Object.entries(paths)
      .filter(
        ([path, { get }]) => !path.includes('{') && get?.parameters?.some(({ name }) => name === 'cursor') === true,
      )
      .map(([path]) => path);
    const inTable = RESOURCES.filter(({ api }) => (api === 'platform') === (name === 'platform-api'));
    expect([...inTable.map(({ list }) => list as string), ...NOT_LISTED[name]].toSorted()).toEqual(
      published.toSorted(),
    );
  });

  it('knows the filters of each list, without the parameters of its pages', () => {
    const filters = new Map(RESOURCES.map((resource) => [resource.plural, filtersOf(resource)]));
    expect(filters.get('jobs')).toEqual(['name', 'enabled', 'status', 'trigger_type', 'entity_id']);
    expect(filters.get('policies')).toEqual(['enabled', 'name', 'search']);
    expect(filters.get('users')).toEqual(['name', 'email', 'status']);
    expect(filters.get('secrets')).toEqual(['name']);
    for (const resource of RESOURCES) {
      const parameters = documentOf(resource).paths[resource.list]!['get']!.parameters!.map(({ name }) => name);
      expect(parameters).toEqual(expect.arrayContaining([...filtersOf(resource)]));
    }
  });

  it.each(RESOURCES.map((resource) => [resource.plural, resource] as const))(
    'contains only commands, columns and fields that the platform has for %s',
    (_plural, resource) => {
      const { list, item, create = list, update = 'patch', columns, knownBy = ['name'] } = resource;
      const { paths } = documentOf(resource);
      const methods = paths[item] ?? {};
      expect(methods['get'] !== undefined).toBe(resource.isRead !== false);
      expect({
        create: paths[create]?.['post'] !== undefined,
        edit: methods['patch'] !== undefined || methods['put'] !== undefined,
        // Keys are created and revoked by commands of their own; executions are reported by workers.
        delete: methods['delete'] !== undefined,
      }).toEqual(
        { key: { create: true, edit: true, delete: true }, execution: { create: false, edit: true, delete: false } }[
          resource.kind
        ] ??
          Object.fromEntries(
            ['create', 'edit', 'delete'].map((verb) => [verb, resource.verbs.includes(verb as 'edit')]),
          ),
      );
      if (resource.verbs.includes('edit')) expect(methods[update]).toBeDefined();
      // The client searches for rows only in lists that it can request without a count.
      if (knownBy.length > 0 || resource.isRead === false) {
        expect(paths[list]!['get']!.parameters!.map(({ name }) => name)).toContain('total');
      }
      const rows = responseFields(resource, list);
      for (const field of [...columns, ...knownBy, resource.id ?? 'id']) expect(rows).toContain(field);
    },
  );

  it.each(
    RESOURCES.filter(({ verbs }) => verbs.includes('create')).map((resource) => [resource.plural, resource] as const),
  )(
    'lists the fields of %s that no response has, and those that only the response to the creation has',
    (_plural, resource) => {
      const document = documentOf(resource);
      const { list, item, create = list, writeOnly = [], shownOnce = [] } = resource;
      const request = document.paths[create]!['post']!.requestBody!.content['application/json'].schema;
      const response = responseFields(resource, item);
      const missing = fieldsOf(document, request).filter((field) => !response.includes(field));
      // The result of a task shows neither its parameters nor its agent.
      if (resource.kind !== 'task') expect(missing).toEqual(writeOnly);
      const created = responseFields(resource, create, 'post');
      for (const field of shownOnce) expect(created).toContain(field);
    },
  );
});
