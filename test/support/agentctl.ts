import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { filesIn, installIn, packInto } from './packed-packages.js';
import type { Platform } from './platform.js';

type Environment = Readonly<Record<string, string>>;

/** Whether commands can be run in a pseudo-terminal, by the `script` of util-linux. */
export const hasTerminals = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

/** A run of a command. */
export class Run {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown[]>;

  constructor(private readonly process: ChildProcess) {
    process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.closed = once(process, 'close');
  }

  type(text: string): void {
    this.process.stdin?.write(text);
  }

  interrupt(): void {
    this.process.kill('SIGINT');
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Ends the input. Resolves to the exit code. */
  end(): Promise<number> {
    this.process.stdin?.end();
    return this.exit();
  }

  async exit(): Promise<number> {
    const [code] = await this.closed;
    return code as number;
  }
}

/** The packed agentctl, installed in a folder that is also the home of its user. */
export class Agentctl {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentctl-'));

  async install(): Promise<void> {
    const [tarball = ''] = await packInto(this.folder, ['apps/cli']);
    expect((await filesIn(this.folder, tarball)).toSorted()).toEqual(
      ['README.md', 'dist/agentctl.cjs', 'dist/mcp-tools.cjs', 'dist/yaml.cjs', 'package.json'].map(
        (file) => `package/${file}`,
      ),
    );
    await installIn(this.folder, [tarball]);
  }

  /** Retries: shells that a test started still write their history while they end. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Starts the command with pipes. */
  start(args: readonly string[], env: Environment = {}): Run {
    return this.spawn(this.program, args, env);
  }

  /** Starts the command in a pseudo-terminal, which has one stream for the input and one for both outputs. */
  startInTerminal(command: string, env: Environment = {}): Run {
    return this.spawn('script', ['-qec', `${this.program} ${command}`, '/dev/null'], env);
  }

  /** Starts a program in a pseudo-terminal that finds the command on its path. */
  startShell(commandLine: string, env: Environment = {}): Run {
    const PATH = `${join(this.folder, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`;
    return this.spawn('script', ['-qec', commandLine, '/dev/null'], { PATH, ...env });
  }

  /** Runs the command to its end, with pipes and no input. */
  async run(args: readonly string[], env: Environment = {}) {
    const run = this.start(args, env);
    const code = await run.end();
    return { code, stdout: run.stdout, stderr: run.stderr };
  }

  async signIn(platform: Platform): Promise<void> {
    const platformApiUrl = platform.platformApi?.url ?? '';
    const login = this.start(['login', '--url', platform.url, '--platform-api-url', platformApiUrl, '--key-stdin']);
    login.type(platform.adminKey);
    expect({ code: await login.end(), stderr: login.stderr }).toMatchObject({ code: 0 });
  }

  /** Writes a file and returns its path. */
  write(name: string, content: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }

  get program(): string {
    return join(this.folder, 'node_modules', '.bin', 'agentctl');
  }

  private spawn(program: string, args: readonly string[], env: Environment): Run {
    const base = { PATH: process.env['PATH'] ?? '', HOME: this.folder, TERM: 'xterm' };
    return new Run(spawn(program, args, { cwd: this.folder, env: { ...base, ...env } }));
  }
}
