/**
 * `refused`: the call had no usable key, exceeded a limit, or the platform rejected it. `failed`: the run ended without
 * success, its result could not be read, it could not be cancelled, or an internal error ended the call. `cancelled`: the
 * client cancelled the call or disconnected, and no run of the call goes on.
 */
export type CallOutcome = 'succeeded' | 'failed' | 'refused' | 'cancelled';

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
