import type { IncomingMessage } from 'node:http';
import { errorCodeOf, readRetryAfter } from '@app/api-client';
import { isJsonObject, type Clock } from '@app/kernel';
import { WebSocket } from 'ws';
import { ControlPlaneError, failureKind } from './control-plane.errors.js';
import type { WorkerCommand } from './control-plane.port.js';
import { networkReason } from '../errors/network-reason.js';

const HANDSHAKE_TIMEOUT_MS = 15_000;
/** The control plane pings every 15 seconds; a connection without a ping for this time is broken. */
const SILENCE_MS = 45_000;
/** In bytes. Commands are short. */
const MAX_MESSAGE_BYTES = 65_536;

/** The WebSocket over which the control plane pushes commands to this worker. */
export class CommandSocket {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls `onCommand` for each command until the signal is aborted; then it rejects with the signal's reason. Rejects with a
   * ControlPlaneError if the control plane refuses the connection, `unavailable` if the connection is lost.
   */
  async receive(onCommand: (command: WorkerCommand) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const webSocket = new WebSocket(this.url, {
      headers: { Authorization: `Bearer ${this.apiKey}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const silence = setTimeout(() => webSocket.terminate(), SILENCE_MS);
    const end = (): void => webSocket.terminate();
    signal.addEventListener('abort', end, { once: true });
    webSocket.on('ping', () => silence.refresh());
    webSocket.on('message', (data: Buffer) => {
      silence.refresh();
      const command = readCommand(data.toString());
      if (command !== null) onCommand(command);
    });
    try {
      throw await this.endOf(webSocket);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      webSocket.terminate();
    }
  }

  /** Resolves with the reason why the connection ended or was not opened. */
  private endOf(webSocket: WebSocket): Promise<ControlPlaneError> {
    return new Promise((resolve) => {
      const lost = (reason: string): void =>
        resolve(new ControlPlaneError('unavailable', `the WebSocket ended: ${reason}`));
      webSocket.on('error', (error) => lost(networkReason(error)));
      webSocket.on('close', (code, reason) => lost(`${code} ${reason.toString()}`.trim()));
      webSocket.on('unexpected-response', (_request, response: IncomingMessage) => {
        response.resume();
        resolve(this.refusalOf(response));
      });
    });
  }

  private refusalOf({ statusCode = 0, headers }: IncomingMessage): ControlPlaneError {
    const texts = Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string');
    const response = new Response(null, { headers: texts });
    const kind = failureKind(statusCode, errorCodeOf(response));
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), this.clock.millis());
    const message = `the WebSocket was refused with ${statusCode}`;
    return new ControlPlaneError(kind, message, retryAfterMs, response.headers.get('x-request-id'));
  }
}

/** Returns null for a message that is not a command. */
function readCommand(text: string): WorkerCommand | null {
  let wire: unknown;
  try {
    wire = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(wire) || typeof wire['command'] !== 'string') return null;
  const executionId = wire['execution_id'];
  return { command: wire['command'], executionId: typeof executionId === 'string' ? executionId : null };
}
