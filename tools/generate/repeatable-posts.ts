import type { OpenAPIObject } from '@nestjs/swagger';
import type { NamedDocument } from './openapi-documents.js';

/** Returns the source of the client's table of POSTs that it may send again. */
export function repeatablePosts(documents: readonly NamedDocument[]): string {
  const tables = documents.map(({ name, document }) => [
    `  '${name}': new Set([`,
    ...repeatablePostsOf(document).map((path) => `    '${path}',`),
    '  ]),',
  ]);
  return [
    '/** Generated from the OpenAPI documents: paths whose POST honours `Idempotency-Key` or is naturally idempotent. */',
    'export const REPEATABLE_POSTS = {',
    ...tables.flat(),
    '} satisfies Readonly<Record<string, ReadonlySet<string>>>;\n',
  ].join('\n');
}

export function repeatablePostsOf({ paths }: Pick<OpenAPIObject, 'paths'>): string[] {
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const parameters = (post?.parameters ?? []).flatMap((parameter) => ('in' in parameter ? [parameter] : []));
    const hasKey = parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key');
    return hasKey || (post !== undefined && Reflect.get(post, 'x-idempotent') === true) ? [path] : [];
  });
}
