import { createInterface, type Interface } from 'node:readline';

/** A line, the end of the input (Ctrl-D), or Ctrl-C. */
export type Input = { readonly line: string } | 'end' | 'interrupt';

/**
 * The lines that a person types, or those of a pipe. Lines that arrive before they are asked for are kept. Ctrl-C does
 * not end the program: it is the result of the open question, otherwise `onInterrupt` is called.
 */
export class LineInput {
  private readonly lines: Interface;
  private readonly early: string[] = [];
  private answer: ((input: Input) => void) | null = null;
  private hasEnded = false;
  private readonly interrupt = (): void => {
    if (this.answer === null) this.onInterrupt();
    else this.settle('interrupt');
  };

  constructor(
    input: NodeJS.ReadStream,
    private readonly output: NodeJS.WritableStream,
    private readonly isTerminal: boolean,
    private readonly onInterrupt: () => void,
  ) {
    this.lines = createInterface({ input, output, terminal: isTerminal });
    this.lines
      .on('line', (line) => {
        if (this.answer === null) this.early.push(line);
        else this.settle({ line });
      })
      .on('close', () => {
        this.hasEnded = true;
        this.settle('end');
      })
      // A terminal in raw mode sends Ctrl-C as a character, otherwise the process gets a signal.
      .on('SIGINT', this.interrupt);
    process.on('SIGINT', this.interrupt);
  }

  /** Asks for a line. Nothing is shown if the input is a pipe. */
  next(prompt: string): Promise<Input> {
    const line = this.early.shift();
    if (line !== undefined) return Promise.resolve({ line });
    if (this.hasEnded) return Promise.resolve('end');
    if (this.isTerminal) {
      this.lines.setPrompt(prompt);
      this.lines.prompt();
    }
    return new Promise((resolve) => (this.answer = resolve));
  }

  close(): void {
    process.off('SIGINT', this.interrupt);
    this.lines.close();
  }

  private settle(input: Input): void {
    if (typeof input === 'string' && this.isTerminal) this.output.write('\n');
    this.answer?.(input);
    this.answer = null;
  }
}
