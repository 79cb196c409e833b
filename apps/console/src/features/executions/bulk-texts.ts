import type { BulkAction } from './bulk.queries';

interface BulkTexts {
  /** `which` are they, such as "3 executions". */
  readonly question: (which: string) => string;
  readonly action: string;
  readonly effect: string;
}

/** What is said before something is done to many executions. */
export const BULK_TEXTS: Readonly<Record<BulkAction, BulkTexts>> = {
  rerun: {
    question: (which) => `Run ${which} again?`,
    action: 'Run them again',
    effect: 'Each starts a new execution with the same input. What the first one did outside is done again.',
  },
  cancel: {
    question: (which) => `Cancel ${which}?`,
    action: 'Cancel them',
    effect: 'They end without a result, and what they have done so far stays done.',
  },
};
