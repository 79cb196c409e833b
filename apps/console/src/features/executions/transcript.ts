import type { AnyEvent } from '@app/api-client';

/** A part of a run, in the order in which it began. */
export type Block =
  | MessageBlock
  | ToolBlock
  | { readonly kind: 'thinking'; readonly key: string; readonly text: string; readonly isComplete: boolean }
  | { readonly kind: 'divider'; readonly key: string; readonly text: string; readonly isWarning: boolean }
  | { readonly kind: 'error'; readonly key: string; readonly text: string }
  /** An event that the console does not know: it is shown as it is. */
  | { readonly kind: 'other'; readonly key: string; readonly type: string; readonly data: Data };

export interface MessageBlock {
  readonly kind: 'message';
  readonly key: string;
  readonly role: string;
  /** The member of a team that wrote it; null: the agent or the leader. */
  readonly author: string | null;
  readonly text: string;
  /** False while parts of it arrive. */
  readonly isComplete: boolean;
  /** It comes from the stored messages, and the log has not shown it yet. */
  readonly isStored: boolean;
}

export interface ToolBlock {
  readonly kind: 'tool';
  readonly key: string;
  readonly name: string;
  readonly author: string | null;
  readonly arguments: unknown;
  readonly output: unknown;
  readonly error: string | null;
  readonly status: 'running' | 'success' | 'failed';
}

export interface Transcript {
  readonly blocks: readonly Block[];
  /** The same blocks by their keys, in the same order. */
  readonly byKey: ReadonlyMap<string, Block>;
  /** The place in the log up to which events are repetitions. */
  readonly last: LogPlace;
}

/** Both numbers of an id increase in one log. A log that was lost begins again at 1, but later. */
interface LogPlace {
  readonly counter: number;
  readonly microseconds: number;
}

type Data = Readonly<Record<string, unknown>>;

export const EMPTY_TRANSCRIPT: Transcript = { blocks: [], byKey: new Map(), last: { counter: 0, microseconds: 0 } };

/**
 * Returns the transcript with further events. Pure: any split of the events into batches gives the same transcript, and an
 * event of the log that arrives again changes nothing. Blocks that do not change keep their identity.
 */
export function appendEvents(transcript: Transcript, events: readonly AnyEvent[]): Transcript {
  const draft = new Draft(transcript);
  for (const event of events) draft.add(event);
  return draft.finish();
}

/** A copy that is changed while a batch is added. */
class Draft {
  private readonly byKey: Map<string, Block>;
  private last: LogPlace;
  /** Whether the event is a stored message, which a stream begins with, and not one of the log. */
  private isStored = false;

  constructor({ byKey, last }: Transcript) {
    this.byKey = new Map(byKey);
    this.last = last;
  }

  add({ id, event, data: frame }: AnyEvent): void {
    const place = placeOf(id);
    if (place !== null) {
      if (place.counter <= this.last.counter && place.microseconds <= this.last.microseconds) return;
      this.last = place;
    }
    const data = FLAT.has(event) ? frame : recordOf(frame['data']);
    const key = id ?? `${event}-${this.byKey.size}`;
    this.isStored = place === null;
    this.addTyped(event.replace(/^member_/, ''), data, key, event);
  }

  finish(): Transcript {
    return { blocks: [...this.byKey.values()], byKey: this.byKey, last: this.last };
  }

  private addTyped(type: string, data: Data, key: string, event: string): void {
    switch (type) {
      case 'message':
      case 'message_complete':
        return this.addMessage(data, key);
      case 'message_chunk':
        return this.addChunk(data, key);
      case 'thinking_start':
      case 'thinking_delta':
      case 'thinking_complete':
        return this.addThought(type, data, key);
      case 'tool_started':
      case 'tool_completed':
        return this.addTool(type, data, key);
      case 'connected':
      case 'history_complete':
        return undefined;
      case 'error':
        return this.put({ kind: 'error', key, text: textOf(data['message']) ?? textOf(data['error']) ?? 'Failed' });
      case 'status':
      case 'done':
      case 'run_started':
      case 'gap_detected':
      case 'step_started':
      case 'step_completed':
      case 'step_failed':
        return this.addDivider(type, data, key);
      default:
        return this.put({ kind: 'other', key, type: event, data });
    }
  }

  /** A whole message replaces its parts. */
  private addMessage(data: Data, key: string): void {
    const messageKey = messageKeyOf(data) ?? key;
    const text = textOf(data['content']) ?? '';
    const earlier = this.blockAt(messageKey);
    // The end of a message may repeat nothing of its text.
    const shown = text === '' && earlier?.kind === 'message' ? earlier.text : text;
    this.put({
      kind: 'message',
      key: messageKey,
      role: textOf(data['role']) ?? 'assistant',
      author: authorOf(data),
      text: shown,
      isComplete: true,
      // Stored messages come again with each connection: one that the log has shown keeps its place.
      isStored: this.isStored && (earlier?.kind !== 'message' || earlier.isStored),
    });
  }

  /** A part that arrives after its whole message is already contained in it. */
  private addChunk(data: Data, key: string): void {
    const messageKey = messageKeyOf(data) ?? key;
    const earlier = this.blockAt(messageKey);
    if (earlier?.kind === 'message' && earlier.isComplete) {
      if (earlier.isStored && !this.isStored) this.put({ ...earlier, isStored: false });
      return;
    }
    const before = earlier?.kind === 'message' ? earlier.text : '';
    this.put({
      kind: 'message',
      key: messageKey,
      role: textOf(data['role']) ?? 'assistant',
      author: authorOf(data),
      text: before + (textOf(data['content']) ?? ''),
      isComplete: false,
      isStored: this.isStored,
    });
  }

  private addThought(type: string, data: Data, key: string): void {
    const thoughtKey = `thinking ${messageKeyOf(data) ?? key}`;
    const earlier = this.blockAt(thoughtKey);
    const before = earlier?.kind === 'thinking' ? earlier.text : '';
    const isComplete = type === 'thinking_complete';
    const text = type === 'thinking_delta' ? before + (textOf(data['content']) ?? '') : before;
    this.put({ kind: 'thinking', key: thoughtKey, text, isComplete });
  }

  private addTool(type: string, data: Data, key: string): void {
    const toolKey = `tool ${textOf(data['tool_execution_id']) ?? key}`;
    const isEnd = type === 'tool_completed';
    this.put({
      kind: 'tool',
      key: toolKey,
      name: textOf(data['tool_name']) ?? 'tool',
      author: authorOf(data),
      arguments: data['tool_arguments'] ?? null,
      output: data['tool_output'] ?? null,
      error: textOf(data['tool_error']) ?? null,
      status: !isEnd ? 'running' : data['status'] === 'failed' ? 'failed' : 'success',
    });
  }

  private addDivider(type: string, data: Data, key: string): void {
    const text = dividerText(type, data);
    if (text === null) return;
    const isWarning = type === 'gap_detected' || type === 'step_failed' || data['status'] === 'failed';
    this.put({ kind: 'divider', key, text, isWarning });
  }

  private blockAt(key: string): Block | undefined {
    return this.byKey.get(key);
  }

  /** Stored messages come first. If the log has one of them too, its place is where the log has it. */
  private put(block: Block): void {
    const earlier = this.byKey.get(block.key);
    if (earlier?.kind === 'message' && earlier.isStored && !this.isStored) this.byKey.delete(block.key);
    this.byKey.set(block.key, block);
  }
}

/** Events whose frame is their data; that of all others is in `data`. */
const FLAT: ReadonlySet<string> = new Set([
  'message',
  'status',
  'error',
  'done',
  'connected',
  'history_complete',
  'gap_detected',
]);

function dividerText(type: string, data: Data): string | null {
  const step = textOf(data['step']) ?? 'a step';
  if (type === 'run_started') return `Attempt ${typeof data['attempt'] === 'number' ? data['attempt'] : 1} begins`;
  if (type === 'gap_detected') return 'Earlier events are no longer kept';
  if (type === 'step_started') return `Step ${step} begins`;
  if (type === 'step_failed') return `Step ${step} failed: ${textOf(data['error']) ?? 'it is tried again'}`;
  if (type === 'step_completed') return `Step ${step}: ${textOf(data['status']) ?? 'ended'}`;
  // The end is a status already.
  return type === 'done' ? null : (textOf(data['status'])?.replaceAll('_', ' ') ?? null);
}

/** Ids of the log are `{execution}_{counter}_{microseconds}`; frames of the stream itself have none. */
function placeOf(id: string | undefined): LogPlace | null {
  const [, counter, microseconds] = /_(\d+)_(\d+)$/.exec(id ?? '') ?? [];
  return counter === undefined ? null : { counter: Number(counter), microseconds: Number(microseconds) };
}

function messageKeyOf(data: Data): string | undefined {
  return textOf(data['message_id']) ?? textOf(data['id']);
}

function authorOf(data: Data): string | null {
  return textOf(data['member_name']) ?? null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function recordOf(value: unknown): Data {
  return typeof value === 'object' && value !== null ? (value as Data) : {};
}
