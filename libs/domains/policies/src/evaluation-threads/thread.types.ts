import type { EvaluatorJob, EvaluatorResults } from '../evaluation/evaluator.types.js';

/** The messages of a thread: first that it is ready, then the result of each job. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: EvaluatorResults[EvaluatorJob['kind']] }
  | { readonly kind: 'error'; readonly error: unknown };
