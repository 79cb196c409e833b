/** OPA could not be asked, or gave no answer that can be read. Its message is fit for everybody. */
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
