import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { isReady } from '../../tools/provision/is-ready.js';
import { recordKill } from './chaos.js';
import { outputRecorder, recordSecretsIn } from './run-record.js';

const ROOT = join(__dirname, '..', '..');
const READY_TIMEOUT_MS = 180_000;
// Each probe costs a millisecond of CPU time, and a start takes two seconds.
const PROBE_INTERVAL_MS = 100;
const MAX_LOG_LINES = 400;

export interface AppOptions {
  /** The file that it runs, relative to the repository: `dist/bundles/control-plane.js`. */
  readonly entry: string;
  /** The program that runs the entry file. Default: Node, with a preload that ends the process with the test. */
  readonly interpreter?: string;
  readonly env: Readonly<Record<string, string>>;
  /** The condition of readiness: a URL that returns 200, or a pattern in the output. */
  readonly ready: string | RegExp;
}

/** A built application as a separate process, which a test can kill. */
export class TestedApp {
  private readonly lines: string[] = [];
  /** Output of the processes before the last restart. */
  private readonly earlierLines: string[] = [];
  private child: ChildProcess | undefined;
  private folder = ROOT;
  private readonly record = outputRecorder();

  constructor(private readonly options: AppOptions) {
    recordSecretsIn(options.env);
  }

  /** Lets later starts run the build of another version, in this folder; without one, that of this version. */
  useBuildIn(folder: string | undefined): void {
    this.folder = folder ?? ROOT;
  }

  async start(): Promise<this> {
    const { entry, interpreter, env, ready } = this.options;
    const preload = join(ROOT, 'dist/tools/start/parent-watch.js');
    const nodeOptions = interpreter === undefined ? ['--import', preload] : [];
    const child = spawn(interpreter ?? process.execPath, [...nodeOptions, join(this.folder, entry)], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LOG_LEVEL: 'info', ...env, ...delayVariables(env) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timeout);
        clearInterval(probing);
        settle();
      };
      const timeout = setTimeout(
        () => finish(() => reject(new Error(`${entry} was not ready in time\n${this.log()}`))),
        READY_TIMEOUT_MS,
      );
      const probe = async (url: string): Promise<void> => {
        if (await isReady(url)) finish(resolve);
      };
      const probing = typeof ready === 'string' ? setInterval(() => void probe(ready), PROBE_INTERVAL_MS) : undefined;
      const read = (chunk: Buffer): void => {
        this.record(chunk);
        for (const line of chunk.toString().split('\n').filter(Boolean)) this.addLine(line);
        if (typeof ready !== 'string' && ready.test(this.log())) finish(resolve);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code, signal) => {
        this.addLine(`(${entry} exited with ${code ?? signal})`);
        finish(() => reject(new Error(`${entry} exited with ${code}\n${this.log()}`)));
      });
    });
    return this;
  }

  get pid(): number {
    return this.child?.pid ?? -1;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Returns the last lines of output since the last start. */
  log(): string {
    return this.lines.join('\n');
  }

  /** Prints the output of the process, including that before restarts, to explain a failed test. */
  printLog(): void {
    const output = [...this.earlierLines, ...this.lines].join('\n');
    process.stderr.write(`\n── ${this.options.entry} (${this.pid}) ──\n${output}\n`);
  }

  /** Sends the signal and waits for the exit. Returns the exit code, or null if a signal ended the process. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    if (signal === 'SIGKILL' && this.running) recordKill();
    return this.end(signal);
  }

  /** Like `kill`, for processes that are no longer needed; not recorded as a crash. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const exit = this.waitForExit();
    if (this.running) this.signal(signal);
    return exit;
  }

  /** Returns the exit code, or null if a signal ended the process. */
  async waitForExit(): Promise<number | null> {
    const { child } = this;
    if (child === undefined || !this.running) return child?.exitCode ?? null;
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  /** Lets this process exit while the application runs, and ends the application then. */
  endWithThisProcess(): void {
    const { child } = this;
    child?.unref();
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) (stream as Socket | null | undefined)?.unref();
    process.once('exit', () => this.signal('SIGKILL'));
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async restart(): Promise<void> {
    await this.kill('SIGKILL');
    this.earlierLines.push(...this.lines.splice(0));
    await this.start();
  }

  private addLine(line: string): void {
    this.lines.push(line);
    if (this.lines.length > MAX_LOG_LINES) this.lines.shift();
  }
}

/** Random delays also apply to the applications; see `tools/test/delays.ts`. */
function delayVariables({ NODE_OPTIONS = '' }: AppOptions['env']): Record<string, string> {
  const { TEST_DELAYS, NODE_OPTIONS: ofTests = '' } = process.env;
  return TEST_DELAYS === undefined ? {} : { TEST_DELAYS, NODE_OPTIONS: `${NODE_OPTIONS} ${ofTests}`.trim() };
}
