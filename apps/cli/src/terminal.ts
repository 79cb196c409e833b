import { styleText } from 'node:util';
import createSpinner, { type Spinner } from 'yocto-spinner';
import { CommandError, EXIT_CODES } from './errors.js';
import type { LineInput } from './line-input.js';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Control sequences and characters of terminals; the texts of agents and tools may contain any of them. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The sequences of `style`, and the control characters in other places. */
// oxlint-disable-next-line no-control-regex
const STYLES_AND_CONTROLS = /\u001b\[(?:1|2|22|31|32|33|36|39)m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the escape of a control character in JSON, YAML and most languages. */
export const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Removes the characters with which a text could control the terminal, except line breaks and tabs. */
export const printable = (value: string): string => value.replaceAll(CONTROL_CHARACTERS, '');

/**
 * Input and output of a command. Results go to standard output; progress, questions and notices go to standard error.
 * Colors and spinners appear only on a terminal; NO_COLOR switches colors off. Streams and packages are accessed only when
 * they are needed: Node opens a standard stream on first access, and few commands read input.
 */
export class Terminal {
  readonly hasColors: boolean;
  private spinner: Spinner | null = null;

  constructor(
    readonly env: NodeJS.ProcessEnv,
    private readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>,
  ) {
    this.hasColors = streams.stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }

  /** Whether the user can be asked questions. */
  get isInteractive(): boolean {
    return this.streams.stdin.isTTY && this.streams.stderr.isTTY;
  }

  style(style: Style, value: string): string {
    return this.hasColors ? styleText(style, value, { validateStream: false }) : value;
  }

  /** On a terminal, control characters other than those of `style` are escaped, wherever the text comes from. */
  write(value: string): void {
    this.stopProgress();
    const { stdout } = this.streams;
    stdout.write(stdout.isTTY ? value.replaceAll(STYLES_AND_CONTROLS, (found) => this.shown(found)) : value);
  }

  private shown(found: string): string {
    return found.length > 1 && this.hasColors ? found : found.replaceAll(CONTROL_CHARACTERS, escaped);
  }

  /** Writes a file for a pipe. Throws a CommandError on a terminal, which the bytes could control. */
  writeBytes(bytes: Uint8Array): void {
    const { stdout } = this.streams;
    if (stdout.isTTY) {
      throw new CommandError(
        'A file is not shown on a terminal.',
        EXIT_CODES.usage,
        'Redirect the output, or use --to.',
      );
    }
    stdout.write(bytes);
  }

  print(line: string): void {
    this.write(`${line}\n`);
  }

  note(line: string): void {
    this.stopProgress();
    this.streams.stderr.write(`${printable(line)}\n`);
  }

  /** Shows a spinner until the next output. */
  progress(label: string): void {
    if (!this.streams.stderr.isTTY || !this.streams.stdout.isTTY || this.env['TERM'] === 'dumb') return;
    this.spinner ??= createSpinner({ stream: this.streams.stderr });
    this.spinner.text = label;
    this.spinner.start();
  }

  stopProgress(): void {
    this.spinner?.stop();
    this.spinner = null;
  }

  /** Returns the lines of standard input; `onInterrupt` is called at Ctrl-C while no line is asked for. */
  async lines(onInterrupt: () => void): Promise<LineInput> {
    const { LineInput } = await import('./line-input.js');
    return new LineInput(this.streams.stdin, this.streams.stderr, this.isInteractive, onInterrupt);
  }

  async readInput(): Promise<string> {
    const { text } = await import('node:stream/consumers');
    return text(this.streams.stdin);
  }

  /** Asks for a line. A hidden answer is not shown while it is typed. */
  async ask(question: string, { hidden = false } = {}): Promise<string> {
    const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({
      input: this.streams.stdin,
      output: hidden ? silent : this.streams.stderr,
      terminal: true,
    });
    // Printed after echo is off, so that no typed character is visible.
    if (hidden) this.streams.stderr.write(question);
    try {
      return await new Promise((resolve, reject) => {
        const leave = (): void => reject(new CommandError('Interrupted.', EXIT_CODES.interrupted));
        lines.on('SIGINT', leave).on('close', leave);
        lines.question(hidden ? '' : question, (answer) => resolve(answer.trim()));
      });
    } finally {
      lines.close();
      if (hidden) this.streams.stderr.write('\n');
    }
  }
}
