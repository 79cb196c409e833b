import type { Run } from '../evaluate/run.js';
import { JsonSyntaxError, parseJson } from '../values/json.js';
import { jsonText } from '../values/text.js';
import { isArray, RegoObject } from '../values/value.js';
import type { Value } from '../values/value.js';
import { SchemaProblem } from './json-schema-faults.js';
import { SchemaValidator } from './json-schema-validator.js';
import { BuiltinError } from './types.js';
import type { BuiltinTable } from './types.js';

/** Reads a document or schema that is given as JSON text or as an object. */
function read(value: Value): Value {
  if (typeof value === 'string') {
    try {
      return parseJson(value);
    } catch (error) {
      if (error instanceof JsonSyntaxError) throw new BuiltinError('invalid JSON string');
      throw error;
    }
  }
  if (!(value instanceof RegoObject) && !isArray(value))
    throw new BuiltinError('wrong type, expected string or object');
  return parseJson(jsonText(value));
}

function matchSchema(args: readonly Value[], run: Run): Value {
  const document = read(args[0] as Value);
  const schema = read(args[1] as Value);
  const validator = new SchemaValidator(schema, run);
  try {
    validator.checkSchema();
    const errors = validator.validate(document).map((error) => new RegoObject(Object.entries(error)));
    return [errors.length === 0, errors];
  } catch (error) {
    if (error instanceof SchemaProblem) throw new BuiltinError(error.message);
    throw error;
  }
}

function verifySchema(args: readonly Value[], run: Run): Value {
  try {
    new SchemaValidator(read(args[0] as Value), run).checkSchema();
    return [true, null];
  } catch (error) {
    if (error instanceof SchemaProblem || error instanceof BuiltinError) return [false, `jsonschema: ${error.message}`];
    throw error;
  }
}

export const jsonSchemaBuiltins: BuiltinTable = {
  'json.match_schema': { arity: 2, call: matchSchema },
  'json.verify_schema': { arity: 1, call: verifySchema },
};
