import { AcceptedWebSocket } from '@app/http';
import type { CommandSink, PushedCommand } from '@app/orchestration';

/** The WebSocket of a worker: each command is a message `{"command","execution_id"}`. */
export class WorkerSocket extends AcceptedWebSocket implements CommandSink {
  sendCommand({ command, execution_id }: PushedCommand): void {
    this.send(JSON.stringify({ command, execution_id }));
  }

  endCommands(reason: 'disconnected' | 'reconnect'): void {
    if (reason === 'disconnected') this.complete('The worker is disconnected');
    else this.askToReconnect('Connect again');
  }
}
