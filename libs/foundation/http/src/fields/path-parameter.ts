import { HttpProblem } from '../errors/http-problem.js';

/** Rejects a parameter that contains NUL: PostgreSQL cannot store it, so no identifier equals it. */
export function checkPathParameter(value: string): string {
  if (value.includes('\u0000')) throw new HttpProblem('resource_not_found', 'Resource not found');
  return value;
}
