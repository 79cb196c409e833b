import { describe, expect, it } from '@jest/globals';
import { EventPrinter } from './event-printer.js';

function printed(...events: readonly [string, Record<string, unknown>][]): string {
  let output = '';
  const printer = new EventPrinter({ write: (text) => (output += text), style: (_style, text) => text });
  for (const [event, data] of events) printer.print({ id: undefined, event, data });
  printer.endText();
  return output;
}
const chunk = (content: string, message_id = 'm1', more = {}): [string, Record<string, unknown>] => [
  'message_chunk',
  { data: { content, message_id, member_name: null, ...more }, timestamp: 't' },
];

describe('the events of an execution for people', () => {
  it('prints the chunks of a message in one line and omits the event with the whole message', () => {
    const whole = { role: 'assistant', content: 'Hello', message_id: 'm1', timestamp: 't' };
    expect(printed(chunk('Hel'), chunk('lo'), ['message', whole], ['done', { status: 'completed' }])).toBe(
      'Hello\ncompleted\n',
    );
  });

  it('prints integers with all digits', () => {
    expect(printed(['progress', { data: { order: 9007199254740993n, orders: [9007199254740993n] } }])).toMatch(
      /order=9007199254740993 orders=\[9007199254740993\]/,
    );
  });

  it('prints an event whose name every object has as a property like other events', () => {
    expect(printed(['constructor', { data: {} }])).toMatch(/^constructor/);
  });

  it('omits the chunks of a message that the history contained as a whole', () => {
    const whole = { role: 'assistant', content: 'Hello', message_id: 'm1', timestamp: 't' };
    const thought = { data: { content: 'hm', message_id: 'm1' }, timestamp: 't' };
    expect(
      printed(['message', whole], ['thinking_delta', thought], chunk('Hel'), chunk('lo'), ['message', whole]),
    ).toBe('assistant: Hello\n(thinking) hm\n');
  });

  it('prints a message as a whole if it was not sent in chunks', () => {
    expect(printed(['message', { role: 'user', content: 'Go', message_id: 'm0' }])).toBe('user: Go\n');
  });

  it('prints when a failed attempt is followed by the next one', () => {
    const retry = { status: 'pending', error_message: 'No model', attempt: 2, retry_at: '2027-01-01T00:00:02.000Z' };
    expect(printed(['status', { ...retry, timestamp: '2027-01-01T00:00:00.000Z' }])).toBe(
      'pending: No model; attempt 2 in 2 s\n',
    );
    expect(printed(['status', retry])).toBe('pending: No model; attempt 2 at 2027-01-01T00:00:02.000Z\n');
  });

  it('begins a line for each message, with the name of a member', () => {
    expect(printed(chunk('a', 'm1'), chunk('b', 'm2', { member_name: 'ada' }))).toBe('a\nada: b\n');
  });

  it('ends the line of a text before another event', () => {
    const tool = {
      data: { tool_name: 'search', tool_execution_id: 'x', tool_arguments: { q: 'a  b' } },
      timestamp: 't',
    };
    expect(printed(chunk('a'), ['tool_started', tool], chunk('b'))).toBe(
      'a\ntool_started tool_name=search tool_arguments={"q":"a b"}\nb\n',
    );
  });

  it('removes characters that could control the terminal', () => {
    expect(printed(chunk('a\u001b[31m\u0007\u009bb\tc'))).toBe('a[31mb\tc\n');
    expect(printed(['x\u001b[2J', { data: { 'k\u001b': '\u001b[31m' } }])).toBe('x[2J k=[31m\n');
    expect(printed(['done', { status: 'failed', error_message: '\u001b]0;t\u0007' }])).toBe('failed: ]0;t\n');
    expect(printed(['message', { role: '\u001b[1m', content: 'x' }])).toBe('[1m: x\n');
  });

  it('prints a status once, even if several events contain it', () => {
    const done = { status: 'completed', timestamp: 't' };
    expect(printed(['status', { status: 'running' }], ['status', done], ['done', done])).toBe('running\ncompleted\n');
  });

  it('reports a gap and omits events that only structure the stream', () => {
    expect(printed(['history_complete', { message_count: 0 }], ['gap_detected', { reason: 'expired' }])).toMatch(
      /^Some events are missing/,
    );
  });
});
