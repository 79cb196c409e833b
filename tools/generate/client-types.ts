import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** Returns the TypeScript types of every path and schema of a document. */
export async function clientTypes(document: OpenAPIObject): Promise<string> {
  const ast = await openapiTS(JSON.stringify(document), {
    alphabetize: true,
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
  });
  return COMMENT_HEADER + astToString(ast);
}
