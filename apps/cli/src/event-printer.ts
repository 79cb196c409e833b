import { stringifyWithBigInts, type AnyEvent } from '@app/api-client';
import { printable, type Terminal } from './terminal.js';

/** Event types that are chunks of a text, with the prefix of the text. */
const CHUNKS: ReadonlyMap<string, string> = new Map([
  ['message_chunk', ''],
  ['member_message_chunk', ''],
  ['thinking_delta', '(thinking) '],
]);

const STATUS_STYLES: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  completed: 'green',
  failed: 'red',
  terminated: 'red',
  cancelled: 'yellow',
};

type Fields = Readonly<Record<string, unknown>>;

/** Prints the events of an execution for people: texts as they are written, other events one per line. */
export class EventPrinter {
  /** Identifies the text in the current line, which has not ended; null between lines. */
  private openText: string | null = null;
  /** Ids of messages that were printed in chunks. The event with the whole text follows and is not printed. */
  private readonly written = new Set<unknown>();
  /** Ids of messages that were printed as a whole, from the history. Their chunks follow and are not printed. */
  private readonly known = new Set<unknown>();
  private lastStatus: string | null = null;

  constructor(
    private readonly terminal: Pick<Terminal, 'write' | 'style'>,
    /** `chat`: without what the user has typed, and without a run that goes well. */
    private readonly detail: 'all' | 'chat' = 'all',
  ) {}

  /** Whether the cursor is in a line of text. */
  get isInText(): boolean {
    return this.openText !== null;
  }

  print({ event, data }: AnyEvent): void {
    const fields = fieldsOf(data);
    const mark = CHUNKS.get(event);
    if (mark !== undefined) return this.printChunk(event, mark, fields);
    const line = this.detail === 'chat' && isExpected(event, fields) ? null : this.lineOf(event, fields);
    if (line === null) return;
    this.endText();
    this.terminal.write(`${line}\n`);
  }

  endText(): void {
    if (this.openText !== null) this.terminal.write('\n');
    this.openText = null;
  }

  private printChunk(event: string, mark: string, fields: Fields): void {
    if (mark === '' && this.known.has(fields['message_id'])) return;
    const text = `${event} ${textOf(fields['message_id'])}`;
    if (text !== this.openText) {
      this.endText();
      const member = textOf(fields['member_name']);
      const label = `${mark}${member === '' ? '' : `${member}: `}`;
      if (label !== '') this.terminal.write(this.terminal.style('dim', label));
    }
    this.openText = text;
    this.written.add(fields['message_id']);
    this.terminal.write(textOf(fields['content']));
  }

  /** Returns null if the event repeats printed text. */
  private lineOf(event: string, fields: Fields): string | null {
    const { terminal } = this;
    switch (event) {
      case 'history_complete':
      case 'thinking_start':
      case 'thinking_complete':
        return null;
      case 'connected':
        return terminal.style('dim', `execution ${textOf(fields['execution_id'])} is ${textOf(fields['status'])}`);
      case 'message':
      case 'member_message_complete':
        return this.messageLine(fields);
      case 'gap_detected':
        return terminal.style('yellow', 'Some events are missing here: the platform no longer has them.');
      case 'done':
      case 'status':
        return this.statusLine(fields);
      case 'error':
        return terminal.style('red', `error: ${textOf(fields['message'])}`);
      default:
        return `${terminal.style('cyan', printable(event))} ${summaryOf(fields)}`;
    }
  }

  private messageLine(fields: Fields): string | null {
    const id = fields['message_id'];
    if (id !== undefined && id !== null) {
      if (this.written.has(id) || this.known.has(id)) return null;
      this.known.add(id);
    }
    const author = textOf(fields['member_name']) || textOf(fields['role']);
    return `${this.terminal.style('dim', `${author}:`)} ${textOf(fields['content'])}`;
  }

  private statusLine(fields: Fields): string | null {
    const status = textOf(fields['status']);
    const reason = textOf(fields['error_message']) || textOf(fields['error']);
    const parts = [reason, nextAttemptOf(fields)].filter((part) => part !== '').join('; ');
    const line = `${this.terminal.style(STATUS_STYLES[status] ?? 'cyan', status)}${parts === '' ? '' : `: ${parts}`}`;
    if (line === this.lastStatus) return null;
    this.lastStatus = line;
    return line;
  }
}

/** Returns an empty text unless the execution waits for a further attempt. */
function nextAttemptOf({ attempt, retry_at: at, timestamp }: Fields): string {
  if (typeof at !== 'string') return '';
  const from = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  const seconds = Math.max(0, Math.round((Date.parse(at) - from) / 1000));
  return `attempt ${textOf(attempt)} ${Number.isNaN(seconds) ? `at ${printable(at)}` : `in ${seconds} s`}`;
}

/** Statuses that a chat shows otherwise: by the text of the agent, or by a question. */
const EXPECTED_STATUSES: ReadonlySet<unknown> = new Set(['pending', 'running', 'waiting_for_input', 'completed']);
const EXPECTED_EVENTS: ReadonlySet<string> = new Set(['connected', 'run_started', 'metadata']);

/** Whether an event says nothing new to a person who talks to the agent. */
function isExpected(event: string, fields: Fields): boolean {
  if (event === 'status' || event === 'done') {
    const hasFailed = textOf(fields['error_message']) !== '' || fields['retry_at'] !== undefined;
    return EXPECTED_STATUSES.has(fields['status']) && !hasFailed;
  }
  return EXPECTED_EVENTS.has(event) || (event === 'message' && fields['role'] === 'user');
}

/** The fields of an event. Most types have them in `data`, beside the time. */
function fieldsOf(data: Fields): Fields {
  const inner = data['data'];
  return typeof inner === 'object' && inner !== null ? (inner as Fields) : data;
}

/** A value as a text that cannot control the terminal. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return printable(typeof value === 'string' ? value : stringifyWithBigInts(value));
}

const SUMMARY_LENGTH = 200;
/** Fields that say where an event belongs, not what happened. */
const HIDDEN = new Set(['message_id', 'tool_execution_id', 'source', 'member_id', 'timestamp', 'is_chunk', 'phase']);

/** One line with the fields that are set. */
function summaryOf(fields: Fields): string {
  const parts = Object.entries(fields)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null)
    .map(([name, value]) => `${name}=${textOf(value).replaceAll(/\s+/g, ' ')}`);
  const line = printable(parts.join(' '));
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH - 1)}…` : line;
}
