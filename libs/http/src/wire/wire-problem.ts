/** A failure of the wire itself, which no domain knows: a body too large, a wrong content type, too many requests. */
export class WireProblem extends Error {
  constructor(
    readonly status: 400 | 413 | 415 | 429 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'WireProblem';
  }
}
