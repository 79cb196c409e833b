/** An error whose message is shown to the caller. It must contain no key and no token. */
export class CallFault extends Error {
  override readonly name = 'CallFault';
}
