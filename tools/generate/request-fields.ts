import type { OpenAPIObject } from '@nestjs/swagger';
import type { NamedDocument } from './openapi-documents.js';

/** What this file reads of a schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

/** The names of fields; 1 for a field that can contain anything. */
interface Fields {
  readonly [name: string]: Fields | 1;
}

type Body = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };

/** Returns the source of the client's table of request fields, by API, method and path. */
export function requestFields(documents: readonly NamedDocument[]): string {
  const tables = documents.map(({ name, document }) => [
    `  '${name}': {`,
    ...routesOf(document).map(([route, fields]) => `    '${route}': ${JSON.stringify(fields)},`),
    '  },',
  ]);
  return [
    '/** The names of fields; 1 for a field that can contain anything. The items of a list are described by the list. */',
    'export interface RequestFields {',
    '  readonly [name: string]: RequestFields | 1;',
    '}\n',
    '/** Generated from the OpenAPI documents: the fields of each JSON request, by API, method and path. */',
    'export const REQUEST_FIELDS: Readonly<Record<string, Readonly<Record<string, RequestFields>>>> = {',
    ...tables.flat(),
    '};\n',
  ].join('\n');
}

function routesOf(document: OpenAPIObject): [string, Fields][] {
  return Object.entries(document.paths).flatMap(([path, { post, put, patch }]) =>
    Object.entries({ post, put, patch }).flatMap(([method, operation]): [string, Fields][] => {
      const body = operation?.requestBody as Body | undefined;
      const fields = fieldsOf(document, body?.content?.['application/json']?.schema, 0);
      return fields === 1 ? [] : [[`${method} ${path}`, fields]];
    }),
  );
}

const MAX_DEPTH = 4;

/** Returns 1 for a value that is no object, or one that may contain any keys. */
function fieldsOf(document: OpenAPIObject, schema: Schema | undefined, depth: number): Fields | 1 {
  if (schema === undefined || depth > MAX_DEPTH) return 1;
  const { $ref, items, allOf, anyOf, properties, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return fieldsOf(document, document.components?.schemas?.[name], depth);
  }
  if (items !== undefined) return fieldsOf(document, items, depth);
  const parts = [...(allOf ?? []), ...(anyOf ?? []).filter(({ type }) => type !== 'null')];
  if (parts.length > 0) {
    const all = parts.map((part) => fieldsOf(document, part, depth));
    return all.includes(1) ? 1 : Object.assign({}, ...all.filter((part) => part !== 1));
  }
  if (properties === undefined || (additionalProperties !== undefined && additionalProperties !== false)) return 1;
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, fieldsOf(document, inner, depth + 1)]),
  );
}
