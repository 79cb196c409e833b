/**
 * A failure of the wire itself, which no domain knows: a body that ended early, is too large or of a wrong type, or a
 * request that is none.
 */
export class WireProblem extends Error {
  constructor(
    readonly status: 400 | 408 | 413 | 415 | 417 | 431,
    message: string,
  ) {
    super(message);
    this.name = 'WireProblem';
  }
}
