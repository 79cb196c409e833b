import { AppProcess, type AppCommand } from './app-process.js';
import type { Reaper } from './reaper.js';
import type { Part } from './supervisor.js';
import type { ExitStatus } from '../provision/server-process.js';

// Longer than the shutdown grace of the apps (10 s by default): only an app that hangs is killed.
const STOP_GRACE_MS = 30_000;

/** An app of the platform as a supervised part; each restart replaces its process. */
export class AppPart implements Part {
  readonly name: string;
  private app: AppProcess;

  constructor(
    private readonly command: AppCommand,
    private readonly reaper: Reaper,
  ) {
    this.name = `The ${command.name}`;
    this.app = this.startProcess();
  }

  get exited(): Promise<ExitStatus> {
    return this.app.exited;
  }

  /** Adds settings for later restarts, such as a port that the first process chose. */
  setEnv(env: Readonly<Record<string, string>>): void {
    Object.assign(this.command.env, env);
  }

  ready(url: string): Promise<void> {
    return this.app.ready(url);
  }

  printed(pattern: RegExp): Promise<string> {
    return this.app.printed(pattern);
  }

  async restart(): Promise<void> {
    this.app = this.startProcess();
  }

  stop(): Promise<void> {
    return this.app.stop(STOP_GRACE_MS);
  }

  kill(): void {
    this.app.kill();
  }

  lastLines(): readonly string[] {
    return this.app.lastLines;
  }

  private startProcess(): AppProcess {
    const app = AppProcess.start(this.command);
    const { pid, exited } = app;
    if (pid !== undefined) this.reaper.watch({ pid, exited });
    return app;
  }
}
