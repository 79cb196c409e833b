import { RegoEvaluationError } from './errors.js';
import { compile } from './program.js';
import type { EvaluateOptions } from './program.js';
import type { Json } from './values/convert.js';

/** Returns the value of a term, with exact numbers converted to plain ones. */
export function valueOf(term: string, options: EvaluateOptions = {}): Json | undefined {
  return compile([])
    .query(term)
    .value({ now: 1_700_000_000_000_000_000n, ...options });
}

/** Returns the error of evaluating a term in strict mode, or a text with its value if there is no error. */
export function errorOf(term: string): string {
  try {
    return `no error: ${JSON.stringify(valueOf(term, { strict: true }))}`;
  } catch (error) {
    return error instanceof RegoEvaluationError ? `${error.code}: ${error.message}` : String(error);
  }
}

/** Returns the value of `query` for one module, which is given without its package line. */
export function ruleValue(rules: string, query: string, options: EvaluateOptions = {}): Json | undefined {
  return compile([{ name: 't.rego', text: `package t\n\n${rules}` }])
    .query(query)
    .value(options);
}
