import type { CallOutcome } from './call-watch.js';

interface CallFaultOptions extends ErrorOptions {
  /** The outcome of the call in its record. Default: `refused`. */
  readonly outcome?: CallOutcome;
}

/** An error whose message is shown to the caller. It must contain no key and no token. */
export class CallFault extends Error {
  override readonly name = 'CallFault';
  readonly outcome: CallOutcome;

  constructor(message: string, { outcome = 'refused', ...options }: CallFaultOptions = {}) {
    super(message, options);
    this.outcome = outcome;
  }
}
