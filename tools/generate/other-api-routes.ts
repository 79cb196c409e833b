import type { OpenAPIObject } from '@nestjs/swagger';
import type { NamedDocument } from './openapi-documents.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Returns the source of the table of the routes of one API that another one lacks. */
export function otherApiRoutes(constant: string, other: NamedDocument, own: NamedDocument): string {
  const present = new Set(routesOf(own.document).map(shapeOf));
  const routes = routesOf(other.document).filter((route) => !present.has(shapeOf(route)));
  return [
    `/** Generated from the OpenAPI documents: the routes of the ${other.name} that the ${own.name} lacks. */`,
    `export const ${constant}: readonly string[] = [`,
    // In this order, fixed segments come before parameters.
    ...routes.toSorted().map((route) => `  '${route}',`),
    '];\n',
  ].join('\n');
}

function routesOf({ paths }: Pick<OpenAPIObject, 'paths'>): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] === undefined ? [] : [`${method.toUpperCase()} ${path}`])),
  );
}

/** The parameters of equal routes have other names. */
function shapeOf(route: string): string {
  return route.replaceAll(/\{\w+\}/g, '{}');
}
