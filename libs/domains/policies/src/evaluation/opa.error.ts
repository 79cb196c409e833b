/** OPA could not evaluate a policy. Clients see the message, so it never contains parts of the input. */
export class OpaError extends Error {
  override readonly name = 'OpaError';

  constructor(
    message: string,
    readonly kind: 'evaluation' | 'time' = 'evaluation',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
