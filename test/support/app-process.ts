import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const READY_TIMEOUT_MS = 45_000;
const ASK_EVERY_MS = 25;
const KEPT_LINES = 400;

export interface AppOptions {
  /** The compiled entry, from the project's root: dist/apps/control-plane/src/main.js */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  /** What says that the process is ready: an address that answers 200, or something it prints that is no log line. */
  readonly ready: string | RegExp;
}

/** A built application as a process of its own, so that a test can kill it like an operator's machine would. */
export class AppProcess {
  private readonly lines: string[] = [];
  /** What it printed before it was last started. */
  private readonly former: string[] = [];
  private child: ChildProcess | undefined;

  constructor(private readonly options: AppOptions) {}

  async start(): Promise<this> {
    const { entry, env, ready } = this.options;
    const preload = join(ROOT, 'dist/tools/start/parent-watch.js');
    const child = spawn(process.execPath, ['--import', preload, join(ROOT, entry)], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LOG_LEVEL: 'info', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(late);
        clearInterval(asking);
        settle();
      };
      const late = setTimeout(
        () => end(() => reject(new Error(`${entry} was not ready in time\n${this.log()}`))),
        READY_TIMEOUT_MS,
      );
      const ask = async (url: string): Promise<void> => {
        if (await answers(url)) end(resolve);
      };
      const asking = typeof ready === 'string' ? setInterval(() => void ask(ready), ASK_EVERY_MS) : undefined;
      const read = (chunk: Buffer): void => {
        for (const line of chunk.toString().split('\n').filter(Boolean)) this.keep(line);
        if (typeof ready !== 'string' && ready.test(this.log())) end(resolve);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code, signal) => {
        this.keep(`(${entry} ended with ${code ?? signal})`);
        end(() => reject(new Error(`${entry} ended with ${code}\n${this.log()}`)));
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

  /** What the process printed last. */
  log(): string {
    return this.lines.join('\n');
  }

  /** Prints what the process said, its former lives too: for a test that failed, whose cause may stand there. */
  tellStory(): void {
    const told = [...this.former, ...this.lines].join('\n');
    process.stderr.write(`\n── ${this.options.entry} (${this.pid}) ──\n${told}\n`);
  }

  /** Sends the signal and waits for the end; answers the exit code, or null where the signal ended it. */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    const ended = this.ended();
    if (this.running) this.signal(signal);
    return ended;
  }

  /** Waits for the end; answers the exit code, or null where a signal ended it. */
  async ended(): Promise<number | null> {
    const { child } = this;
    if (child === undefined || !this.running) return child?.exitCode ?? null;
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async restart(): Promise<void> {
    await this.kill('SIGKILL');
    this.former.push(...this.lines.splice(0));
    await this.start();
  }

  private keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > KEPT_LINES) this.lines.shift();
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}
