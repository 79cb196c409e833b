import type { Redactor } from '../../redaction/secrets.js';

/** Number of bytes kept of the end of the standard error. */
const MAX_KEPT_BYTES = 16_384;
/** Less than `MAX_KEPT_BYTES`, so that a secret is not shown if the cut splits it. */
const SHOWN_LENGTH = 2_000;

/** The end of what a command printed on its standard error. */
export class ErrorOutput {
  private kept = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.kept = Buffer.concat([this.kept, chunk]).subarray(-MAX_KEPT_BYTES);
  }

  text(redactor: Redactor): string {
    return redactor.redactText(this.kept.toString('utf8')).slice(-SHOWN_LENGTH);
  }
}
