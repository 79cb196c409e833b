/** A failure of the wire itself, which no domain knows: a body that ended early, is too large or of a wrong type. */
export class WireProblem extends Error {
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message);
    this.name = 'WireProblem';
  }
}
