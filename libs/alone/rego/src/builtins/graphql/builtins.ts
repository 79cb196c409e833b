import type { Run } from '../../evaluate/run.js';
import { fromPlain, toPlain } from '../../values/convert.js';
import { EMPTY_OBJECT, RegoObject } from '../../values/value.js';
import type { Value } from '../../values/value.js';
import { operandError, stringOperand } from '../operands.js';
import { BuiltinError } from '../types.js';
import type { Builtin, BuiltinTable } from '../types.js';
import { GraphqlError } from './ast.js';
import type { QueryDocument, SchemaDocument } from './ast.js';
import { parseGraphqlQuery } from './parser.js';
import { validateQuery } from './query.js';
import { parseGraphqlSchema } from './schema-parser.js';
import { buildSchema, type Schema } from './schema.js';

/**
 * Reads a document that is given as text or as the result of parsing it. Error messages count the operands of these
 * functions from 0.
 */
function read<T>(value: Value, position: number, parse: (text: string) => T, run: Run): T {
  if (typeof value === 'string') {
    run.meter.work(value.length / 4);
    run.meter.allocate(value.length * 16);
    return parse(value);
  }
  if (value instanceof RegoObject) return toPlain(value) as T;
  throw operandError(position, 'one of {string, object}', value);
}

function readQuery(value: Value, position: number, run: Run): QueryDocument {
  return read(value, position, parseGraphqlQuery, run);
}

function readSchema(value: Value, position: number, run: Run): SchemaDocument {
  return read(value, position, parseGraphqlSchema, run);
}

function schemaOf(document: SchemaDocument): Schema {
  try {
    return buildSchema(document);
  } catch (error) {
    if (!(error instanceof GraphqlError)) throw error;
    const place = error.position === undefined ? '' : `:${error.position.line}:${error.position.column}`;
    throw new BuiltinError(`Error in gqlparser SchemaDocument to Schema conversion: input${place}: ${error.detail}`);
  }
}

function verified(args: readonly Value[], run: Run): Value {
  const query = readQuery(args[0] as Value, 0, run);
  const schema = readSchema(args[1] as Value, 1, run);
  validateQuery(schemaOf(schema), query);
  return [fromPlain(query), fromPlain(schema)];
}

function builtin(arity: number, call: (args: readonly Value[], run: Run) => Value): Builtin {
  return {
    arity,
    call: (args, run) => {
      try {
        return call(args, run);
      } catch (error) {
        throw error instanceof GraphqlError ? new BuiltinError(error.message) : error;
      }
    },
  };
}

/** Returns `otherwise` for invalid documents. Arguments of a wrong type remain errors. */
function whenValid(arity: number, call: (args: readonly Value[], run: Run) => Value, otherwise: Value): Builtin {
  return {
    arity,
    call: (args, run) => {
      try {
        return call(args, run);
      } catch (error) {
        if (error instanceof GraphqlError || error instanceof BuiltinError) return otherwise;
        throw error;
      }
    },
  };
}

export const graphqlBuiltins: BuiltinTable = {
  'graphql.parse_query': builtin(1, (args, run) => fromPlain(readQuery(stringOperand(args, 1), 0, run))),
  'graphql.parse_schema': builtin(1, (args, run) => fromPlain(readSchema(stringOperand(args, 1), 0, run))),
  'graphql.parse': builtin(2, verified),
  'graphql.parse_and_verify': whenValid(2, (args, run) => [true, ...(verified(args, run) as readonly Value[])], [
    false,
    EMPTY_OBJECT,
    EMPTY_OBJECT,
  ]),
  'graphql.is_valid': whenValid(2, (args, run) => (verified(args, run), true), false),
  'graphql.schema_is_valid': whenValid(
    1,
    (args, run) => (buildSchema(readSchema(args[0] as Value, 0, run)), true),
    false,
  ),
};
