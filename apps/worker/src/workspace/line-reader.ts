const MIB = 1_048_576;
const NEWLINE = 0x0a;

/** The output of a process exceeds a limit or violates a protocol. The message contains nothing of the output. */
export class OutputFault extends Error {
  override readonly name = 'OutputFault';
}

/** Splits chunks of bytes into lines of bounded length. */
export class LineReader {
  private parts: Buffer[] = [];
  private bytes = 0;

  /** `onLine` gets each line as text, without white space around it. */
  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
  ) {}

  /** Throws an OutputFault for a line that is too long, and rethrows errors of `onLine`. */
  add(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.append(rest.subarray(0, end));
      this.end();
      rest = rest.subarray(end + 1);
    }
    this.append(rest);
  }

  /** Ends the current line. */
  end(): void {
    const line = Buffer.concat(this.parts).toString('utf8').trim();
    this.parts = [];
    this.bytes = 0;
    this.onLine(line);
  }

  private append(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > this.maxBytes) throw new OutputFault(`printed a line of more than ${this.maxBytes / MIB} MiB`);
    if (part.length > 0) this.parts.push(part);
  }
}
