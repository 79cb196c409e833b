import { AppProcess, type AppCommand } from './app-process.js';
import type { Reaper } from './reaper.js';
import type { Part } from './supervisor.js';
import type { ExitStatus } from '../provision/server-process.js';

// An app stops by itself within its own grace (10 s unless told otherwise); this is for one that hangs.
const stopGraceMs = 30_000;

/** An app of the platform, in as many processes as it takes, one after the other. */
export class AppPart implements Part {
  readonly name: string;
  private app: AppProcess;

  constructor(
    private readonly command: AppCommand,
    private readonly reaper: Reaper,
  ) {
    this.name = `The ${command.name}`;
    this.app = this.begin();
  }

  get exited(): Promise<ExitStatus> {
    return this.app.exited;
  }

  /** Settings that it chose for itself in its first life and must have in the next ones. */
  keep(env: Readonly<Record<string, string>>): void {
    Object.assign(this.command.env, env);
  }

  ready(url: string): Promise<void> {
    return this.app.ready(url);
  }

  printed(pattern: RegExp): Promise<string> {
    return this.app.printed(pattern);
  }

  async restart(): Promise<void> {
    this.app = this.begin();
  }

  stop(): Promise<void> {
    return this.app.stop(stopGraceMs);
  }

  kill(): void {
    this.app.kill();
  }

  lastLines(): readonly string[] {
    return this.app.lastLines;
  }

  private begin(): AppProcess {
    const app = AppProcess.start(this.command);
    const { pid, exited } = app;
    if (pid !== undefined) this.reaper.watch({ pid, exited });
    return app;
  }
}
