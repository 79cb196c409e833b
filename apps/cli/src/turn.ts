import { streamEvents, unwrap, type StreamedEvent } from '@app/api-client';
import type { Connection } from './connection.js';
import { EXIT_CODES, type ExitCode } from './errors.js';
import { EventPrinter } from './event-printer.js';
import type { LineInput } from './line-input.js';
import type { Multitask } from './options.js';
import type { Terminal } from './terminal.js';

interface Message {
  readonly agentId: string;
  readonly prompt: string;
  readonly session: string;
  readonly multitask: Multitask | undefined;
}

/** One message of a chat: the run that responds to it, with its questions. */
export class Turn {
  /** Whether the input ended while the agent waited for an answer. */
  isChatEnded = false;
  private readonly ending = new AbortController();
  private readonly printer: EventPrinter;
  private executionId: string | null = null;
  private isCancelled = false;

  constructor(
    private readonly connection: Connection,
    private readonly terminal: Terminal,
    private readonly input: LineInput,
  ) {
    this.printer = new EventPrinter(terminal, 'chat');
  }

  /** Starts the run and prints it until it ends. Returns `negative` if it did not complete. */
  async run({ agentId, prompt, session, multitask }: Message): Promise<ExitCode> {
    const { controlPlane, profile } = this.connection;
    const started = await unwrap(
      controlPlane.POST('/api/v1/agents/{agent_id}/execute', {
        params: { path: { agent_id: agentId } },
        body: { prompt, session_id: session, ...(multitask !== undefined && { multitask }) },
      }),
    );
    this.executionId = started.execution_id;
    if (started.message.includes('; it waits')) this.terminal.note(started.message);
    if (this.isCancelled) this.cancel();
    const stream = streamEvents(started.execution_id, {
      baseUrl: profile.control_plane_url,
      authorization: `Bearer ${profile.api_key}`,
      exactNumbers: true,
      signal: this.ending.signal,
    });
    let status: unknown;
    try {
      for await (const event of stream) {
        if (event.event === 'done') ({ status } = event.data);
        await this.receive(event);
        if (this.isChatEnded) return EXIT_CODES.negative;
      }
    } catch (error) {
      throw this.ending.signal.aborted ? this.ending.signal.reason : error;
    } finally {
      this.printer.endText();
      this.terminal.stopProgress();
    }
    return status === 'completed' ? EXIT_CODES.done : EXIT_CODES.negative;
  }

  /** Cancels the run, also one that is being started. If the platform cannot be reached, the turn ends with the error. */
  cancel(): void {
    this.isCancelled = true;
    if (this.executionId === null) return;
    const params = { path: { execution_id: this.executionId } };
    unwrap(this.connection.controlPlane.POST('/api/v1/executions/{execution_id}/cancel', { params })).catch(
      (error: unknown) => this.ending.abort(error),
    );
  }

  private async receive(event: StreamedEvent): Promise<void> {
    this.printer.print(event);
    // The run accepts an answer before this status, but may not have stored its question yet.
    if (event.event === 'status' && event.data.status === 'waiting_for_input') await this.answer();
    else if (!this.printer.isInText) this.terminal.progress('waiting for the agent');
  }

  private async answer(): Promise<void> {
    this.printer.endText();
    this.terminal.stopProgress();
    let next = await this.input.next('answer> ');
    while (typeof next === 'object' && next.line.trim() === '') next = await this.input.next('answer> ');
    const execution_id = this.executionId ?? '';
    if (next === 'end') {
      this.terminal.note(`The agent waits for an answer: agentctl executions answer ${execution_id} TEXT`);
      this.isChatEnded = true;
    } else if (next === 'interrupt') this.cancel();
    else {
      const params = { path: { execution_id } };
      const body = { message: next.line };
      await unwrap(this.connection.controlPlane.POST('/api/v1/executions/{execution_id}/message', { params, body }));
    }
  }
}
