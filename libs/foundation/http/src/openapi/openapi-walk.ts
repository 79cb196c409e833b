import type { OpenAPIObject } from '@nestjs/swagger';
import type { REQUIRED_SCOPE } from '../access/access.js';
import type { HAS_ENTITY_TAG } from '../routes/revised-resource.js';

/** The parts of a schema that the document builder reads or writes. */
export interface Property {
  description?: string;
  type?: string | readonly string[] | undefined;
  enum?: readonly unknown[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  description?: string;
  readonly schema?: Property;
}

export interface Response {
  description?: string;
  headers?: Readonly<Record<string, object>>;
}

export interface Operation {
  readonly [REQUIRED_SCOPE]?: string;
  readonly [HAS_ENTITY_TAG]?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: Property }>>;
  };
  description?: string;
  security?: readonly object[];
  responses?: Readonly<Record<string, Response>>;
}

/** Returns every operation of a document with its method in lower case. */
export function operationsOf({ paths }: OpenAPIObject): { method: string; operation: Operation }[] {
  return Object.values(paths).flatMap((path) =>
    Object.entries(path as Record<string, Operation>)
      .filter(([, operation]) => typeof operation === 'object' && operation.responses !== undefined)
      .map(([method, operation]) => ({ method, operation })),
  );
}
