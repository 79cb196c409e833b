import { WorkerSignals } from '@app/dispatch';
import { WorkerService } from '@app/environments';
import { LeaseService, type GivenCommand, type WorkerCommand } from '@app/executions';
import { DomainError, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Shorter than the idle timeouts of load balancers. */
const KEEPALIVE_MS = 15_000;
/**
 * The connection of a worker that accepts none of the queued bytes for this time is closed. The worker still receives
 * its commands in the responses to heartbeats.
 */
const STALL_MS = 30_000;

/** `reload`: the settings of the worker's queue have changed; a heartbeat returns them. */
export type PushedCommand = WorkerCommand | { readonly command: 'reload'; readonly execution_id: null };

/** The connection over which a worker receives its commands. */
export interface CommandSink {
  /** Accepts all commands. Commands that the connection cannot send at once are queued. */
  sendCommand(command: PushedCommand): void;
  keepAlive(): void;
  closeWhenStalled(afterMs: number): void;
  /**
   * Closes after the queue is sent. `disconnected`: the worker was disconnected permanently; `reconnect`: it should
   * connect again.
   */
  endCommands(reason: 'disconnected' | 'reconnect'): void;
  /** Calls the listener once when the connection closes for any reason; immediately if it is closed already. */
  onClose(listener: () => void): void;
}

/**
 * Pushes commands to connected workers. The commands are in PostgreSQL; a signal only means that they must be read.
 * Each command is sent at least once per connection, and heartbeats return it repeatedly as well.
 */
@Injectable()
export class WorkerChannels implements BeforeApplicationShutdown {
  private readonly open = new Set<CommandSink>();
  private stopping = false;

  constructor(
    private readonly workers: WorkerService,
    private readonly leases: LeaseService,
    private readonly signals: WorkerSignals,
  ) {}

  /** Connects a worker. If the worker does not exist or is disconnected, throws before `accept` is called. */
  async connect(scope: Scope, workerId: string, accept: () => CommandSink): Promise<void> {
    const { worker_queue_id: queueId } = await this.workers.readPolling(scope, workerId);
    const sink = accept();
    if (this.stopping) return sink.endCommands('reconnect');
    sink.closeWhenStalled(STALL_MS);
    this.open.add(sink);
    const channel = new WorkerChannel(sink, async () => {
      const [commands] = await Promise.all([
        this.leases.givenCommandsFor(scope, workerId),
        this.workers.readPolling(scope, workerId),
      ]);
      return commands;
    });
    const stopListening = this.signals.listen(
      { id: workerId, queueId },
      {
        onCommands: () => void channel.pushNew(),
        onQueueChanged: () => sink.sendCommand({ command: 'reload', execution_id: null }),
      },
    );
    const keepalive = setInterval(() => sink.keepAlive(), KEEPALIVE_MS);
    sink.onClose(() => {
      stopListening();
      clearInterval(keepalive);
      this.open.delete(sink);
    });
    await channel.pushNew();
  }

  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const sink of this.open) sink.endCommands('reconnect');
  }
}

/** Sends the commands of one connection, each once. */
class WorkerChannel {
  private readonly logger = createLogger('workers');
  /** The commands, with their times, that were sent and are still stored in PostgreSQL. */
  private sent: ReadonlySet<string> = new Set();
  private isReading = false;
  private again = false;

  constructor(
    private readonly sink: CommandSink,
    private readonly read: () => Promise<readonly GivenCommand[]>,
  ) {}

  /** Sends new commands. Never rejects. Calls during a read cause one more read after it. */
  async pushNew(): Promise<void> {
    this.again = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.again) {
        this.again = false;
        this.send(await this.read());
      }
    } catch (error) {
      this.again = false;
      this.end(error);
    } finally {
      this.isReading = false;
    }
  }

  private send(commands: readonly GivenCommand[]): void {
    const before = this.sent;
    this.sent = new Set(commands.map(keyOf));
    for (const given of commands) {
      const { command, execution_id } = given;
      if (!before.has(keyOf(given))) this.sink.sendCommand({ command, execution_id });
    }
  }

  private end(error: unknown): void {
    if (error instanceof DomainError && error.kind !== 'unavailable') return this.sink.endCommands('disconnected');
    this.logger.warn({ err: error }, 'reading the commands failed; the worker is asked to connect again');
    this.sink.endCommands('reconnect');
  }
}

function keyOf({ command, execution_id, command_at }: GivenCommand): string {
  return `${command} ${command_at.getTime()} ${execution_id}`;
}
