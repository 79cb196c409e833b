import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadStream, WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import createSpinner, { type Spinner } from 'yocto-spinner';
import { CommandError, EXIT_CODES } from './errors.js';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** What a terminal interprets as a command; the texts of agents and tools may contain anything. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Removes the characters by which a text could control the terminal; keeps line breaks and tabs. */
export const printable = (value: string): string => value.replaceAll(CONTROL_CHARACTERS, '');

/**
 * Input and output of a command. Results go to standard output; progress, questions and remarks go to standard error.
 * Colors and spinners appear only on a terminal, colors not with NO_COLOR.
 */
export class Terminal {
  readonly hasColors: boolean;
  private spinner: Spinner | null = null;

  constructor(
    readonly env: NodeJS.ProcessEnv,
    private readonly stdin: ReadStream,
    private readonly stdout: WriteStream,
    private readonly stderr: WriteStream,
  ) {
    this.hasColors = stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }

  /** Whether a person can be asked. */
  get isInteractive(): boolean {
    return this.stdin.isTTY && this.stderr.isTTY;
  }

  style(style: Style, value: string): string {
    return this.hasColors ? styleText(style, value) : value;
  }

  write(value: string): void {
    this.stopProgress();
    this.stdout.write(value);
  }

  print(line: string): void {
    this.write(`${line}\n`);
  }

  note(line: string): void {
    this.stopProgress();
    this.stderr.write(`${printable(line)}\n`);
  }

  /** Shows a spinner until the next output. */
  progress(label: string): void {
    if (!this.stderr.isTTY || !this.stdout.isTTY || this.env['TERM'] === 'dumb') return;
    this.spinner ??= createSpinner({ stream: this.stderr });
    this.spinner.text = label;
    this.spinner.start();
  }

  stopProgress(): void {
    this.spinner?.stop();
    this.spinner = null;
  }

  async readInput(): Promise<string> {
    return text(this.stdin);
  }

  /** Asks for a line. A hidden answer is not shown while it is typed. */
  async ask(question: string, { hidden = false } = {}): Promise<string> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: this.stdin, output: hidden ? silent : this.stderr, terminal: true });
    // Only now the terminal no longer shows what is typed.
    if (hidden) this.stderr.write(question);
    try {
      return await new Promise((resolve, reject) => {
        const leave = (): void => reject(new CommandError('Interrupted.', EXIT_CODES.interrupted));
        lines.on('SIGINT', leave).on('close', leave);
        lines.question(hidden ? '' : question, (answer) => resolve(answer.trim()));
      });
    } finally {
      lines.close();
      if (hidden) this.stderr.write('\n');
    }
  }
}
