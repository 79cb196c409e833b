import { runInNewContext } from 'node:vm';
import { headOf, type JsonObject } from '@app/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { RuntimeFailure } from '../runtime.js';

/** A pattern of a schema can take exponential time; the worker serves other runs in the same thread. */
const MATCH_TIMEOUT_MS = 100;
/** Longer descriptions of faults are cut: the model reads them. */
const MAX_FAULTS_LENGTH = 2000;

/** The outcome of a check: the JSON of the answer, or why it does not fit. */
export type CheckedAnswer = { readonly json: string } | { readonly fault: string };

/** Checks answers of a model against a JSON Schema. */
export class ResponseSchema {
  private readonly validate: ValidateFunction;

  /** Throws a RuntimeFailure if the schema is not valid or refers to others. */
  constructor(schema: JsonObject) {
    try {
      // `$async` would make the check a promise.
      const { $async: _async, ...usable } = schema;
      this.validate = new Ajv2020({
        strict: false,
        validateFormats: false,
        code: { regExp: boundedExpression },
      }).compile(usable);
    } catch (error) {
      throw new RuntimeFailure(`The response model is not a valid JSON Schema: ${(error as Error).message}`);
    }
  }

  /** Accepts the JSON alone or in a fenced block. */
  check(answer: string): CheckedAnswer {
    const json = (/^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(answer)?.[1] ?? answer).trim();
    try {
      if (this.validate(JSON.parse(json))) return { json };
    } catch (error) {
      return { fault: error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message };
    }
    const faults = (this.validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim());
    return { fault: headOf(faults.join('; '), MAX_FAULTS_LENGTH) };
  }
}

/** Ajv's interface for engines of regular expressions; `code` is for schemas that are compiled to files only. */
const boundedExpression = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    const isMatch = (text: string): boolean =>
      runInNewContext('expression.test(text)', { expression, text }, { timeout: MATCH_TIMEOUT_MS }) === true;
    // Ajv uses one engine for all expressions with the same text.
    return { test: isMatch, toString: () => String(expression) };
  },
  { code: 'new RegExp' },
);
