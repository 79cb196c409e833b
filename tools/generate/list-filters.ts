import type { OpenAPIObject } from '@nestjs/swagger';
import type { NamedDocument } from './openapi-documents.js';

/** Query parameters that do not filter: they select a page, its form, or whether the list is counted. */
const PAGING: ReadonlySet<string> = new Set(['cursor', 'flat', 'limit', 'page', 'page_size', 'skip', 'total']);

/** Returns the source of the client's table of filters: the other query parameters of each list. */
export function listFilters(documents: readonly NamedDocument[]): string {
  const tables = documents.map(({ name, document }) => [
    `  '${name}': {`,
    ...Object.entries(filtersOf(document)).map(([path, names]) => `    '${path}': ${JSON.stringify(names)},`),
    '  },',
  ]);
  return [
    '/** Generated from the OpenAPI documents: the names of the filters of each list, by API and path. */',
    'export const LIST_FILTERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {',
    ...tables.flat(),
    '};\n',
  ].join('\n');
}

function filtersOf({ paths }: OpenAPIObject): Record<string, string[]> {
  const filters: Record<string, string[]> = {};
  for (const [path, { get }] of Object.entries(paths)) {
    const parameters = (get?.parameters ?? []).flatMap((parameter) => ('in' in parameter ? [parameter] : []));
    const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    if (names.includes('cursor')) filters[path] = names.filter((name) => !PAGING.has(name));
  }
  return filters;
}
