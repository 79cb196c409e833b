import type { BulkResult } from './batch-walk';

/** What happened to the executions of a bulk action. */
export interface Outcome {
  readonly done: number;
  readonly refused: number;
  /** Why some were refused, each reason once. */
  readonly reasons: readonly string[];
}

export const NOTHING_DONE: Outcome = { done: 0, refused: 0, reasons: [] };

export function added({ done, refused, reasons }: Outcome, results: readonly BulkResult[]): Outcome {
  const others = results.filter(({ ok }) => !ok);
  return {
    done: done + results.length - others.length,
    refused: refused + others.length,
    reasons: [...new Set([...reasons, ...others.map(({ detail }) => detail ?? 'unknown')])],
  };
}

/** Returns how many were accepted, of how many if there are more, and why the others were not. */
export function outcomeText({ done, refused, reasons }: Outcome, total?: string): string {
  const accepted = total === undefined ? `${done} done` : `${done} of ${total} done`;
  return refused === 0 ? accepted : `${accepted}, ${refused} refused: ${reasons.join('; ')}`;
}
