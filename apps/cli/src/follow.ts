import { streamEvents, unwrap } from '@app/api-client';
import type { Connection } from './connection.js';
import { CommandError, EXIT_CODES, type ExitCode } from './errors.js';
import { EventPrinter } from './event-printer.js';
import { jsonText } from './output.js';
import type { Terminal } from './terminal.js';
import { waitingReason } from './waiting-reason.js';

export interface FollowOptions {
  /** One JSON object per event instead of text. */
  readonly json?: boolean;
  /** Start after this event. */
  readonly after?: string;
}

/**
 * Prints the events of an execution until it has ended, across interruptions of the connection. Returns `negative` for an
 * execution that did not complete.
 */
export async function follow(
  { controlPlane, profile }: Connection,
  terminal: Terminal,
  execution_id: string,
  { json = false, after }: FollowOptions,
): Promise<ExitCode> {
  // Reports a wrong id or an unreachable platform at once; the stream would try for a long time.
  const params = { path: { execution_id } };
  const { status: before } = await unwrap(controlPlane.GET('/api/v1/executions/{execution_id}', { params }));
  const reason = before === 'pending' ? await waitingReason(controlPlane, execution_id) : null;
  if (reason !== null) terminal.note(reason);
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  const printer = new EventPrinter(terminal);
  let lastEventId = after;
  let status: unknown;
  try {
    const stream = streamEvents(execution_id, {
      baseUrl: profile.control_plane_url,
      authorization: `Bearer ${profile.api_key}`,
      exactNumbers: true,
      signal: interruption.signal,
      ...(after === undefined ? {} : { lastEventId: after }),
    });
    for await (const event of stream) {
      lastEventId = event.id ?? lastEventId;
      if (event.event === 'done') ({ status } = event.data);
      if (json) terminal.print(jsonText({ id: event.id ?? null, event: event.event, data: event.data }));
      else printer.print(event);
      if (!printer.isInText) terminal.progress('waiting for events');
    }
  } catch (error) {
    if (interruption.signal.aborted) throw interrupted(execution_id, lastEventId);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    printer.endText();
    terminal.stopProgress();
  }
  return status === 'completed' ? EXIT_CODES.done : EXIT_CODES.negative;
}

function interrupted(executionId: string, lastEventId: string | undefined): CommandError {
  const after = lastEventId === undefined ? '' : ` --after ${lastEventId}`;
  return new CommandError(
    'No longer followed. The execution continues.',
    EXIT_CODES.interrupted,
    `Follow it again: agentctl executions tail ${executionId}${after}`,
  );
}
