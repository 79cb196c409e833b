import { RegoEvaluationError } from './errors.js';
import { compile } from './program.js';
import type { EvaluateOptions } from './program.js';
import type { Json } from './values/convert.js';

/** Value of a term, with exact numbers turned into plain ones. */
export function valueOf(term: string, options: EvaluateOptions = {}): Json | undefined {
  return compile([])
    .query(term)
    .value({ now: 1_700_000_000_000_000_000n, ...options });
}

/** How evaluating a term fails where builtins' errors are raised; what it answers instead, where it does not. */
export function errorOf(term: string): string {
  try {
    return `no error: ${JSON.stringify(valueOf(term, { strict: true }))}`;
  } catch (error) {
    return error instanceof RegoEvaluationError ? `${error.code}: ${error.message}` : String(error);
  }
}

/** Value of `query` against one module whose package line is left out. */
export function ruleValue(rules: string, query: string, options: EvaluateOptions = {}): Json | undefined {
  return compile([{ name: 't.rego', text: `package t\n\n${rules}` }])
    .query(query)
    .value(options);
}
