import { describe, expect, it } from '@jest/globals';
import type { AnyEvent } from '@app/api-client';
import fc from 'fast-check';
import { appendEvents, EMPTY_TRANSCRIPT, type Transcript } from './transcript';

type Content = Readonly<Record<string, unknown>>;

const logged = (counter: number, event: string, data: Content): AnyEvent => ({
  id: `e_${counter}_1795224184830234`,
  event,
  data: ['message', 'status', 'error', 'done'].includes(event) ? { ...data } : { data },
});
const read = (...events: AnyEvent[]): Transcript => appendEvents(EMPTY_TRANSCRIPT, events);

const contents: fc.Arbitrary<readonly [string, Content]> = fc.oneof(
  fc
    .record({ message_id: fc.constantFrom('a', 'b'), content: fc.string({ maxLength: 3 }) })
    .chain((data) =>
      fc.constantFrom<[string, Content]>(
        ['message_chunk', data],
        ['member_message_chunk', { ...data, member_name: 'm' }],
        ['message', { ...data, role: 'assistant' }],
        ['thinking_delta', data],
      ),
    ),
  fc
    .record({ tool_execution_id: fc.constantFrom('s', 't'), tool_name: fc.constant('search') })
    .chain((data) => fc.constantFrom<[string, Content]>(['tool_started', data], ['tool_completed', data])),
  fc.constantFrom<[string, Content]>(
    ['status', { status: 'running' }],
    ['error', { message: 'no' }],
    ['own', { x: 1 }],
  ),
);
const runs = fc
  .array(contents, { maxLength: 30 })
  .map((all) => all.map(([type, data], at) => logged(at + 1, type, data)));

describe('a transcript', () => {
  it('is the same for any split of the events', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(30)), (events, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < events.length).sort((a, b) => a - b), events.length];
        const parts = places.slice(1).map((end, index) => events.slice(places[index], end));
        expect(parts.reduce(appendEvents, EMPTY_TRANSCRIPT)).toEqual(read(...events));
      }),
    );
  });

  it('does not change when a connection is opened again and events arrive twice', () => {
    fc.assert(
      fc.property(runs, fc.nat(30), (events, from) => {
        const once = read(...events);
        expect(appendEvents(once, events.slice(from))).toEqual(once);
      }),
    );
  });

  it('goes on when the log was lost and begins again', () => {
    const later = { id: 'e_1_1795224184999999', event: 'run_started', data: { data: { attempt: 2 } } };
    const events = [logged(1, 'own', {}), logged(2, 'own', {}), later];
    const { blocks } = read(...events, later, logged(1, 'own', {}));
    expect(blocks.map(({ kind }) => kind)).toEqual(['other', 'other', 'divider']);
  });

  it('keeps the identity of blocks that do not change', () => {
    fc.assert(
      fc.property(runs, contents, (events, [type, data]) => {
        const before = read(...events);
        const after = appendEvents(before, [logged(events.length + 1, type, data)]);
        const changed = before.blocks.filter((block) => after.byKey.get(block.key) !== block);
        expect(changed.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has the concatenated parts of a message, until the whole message replaces them', () => {
    const chunk = (counter: number, content: string): AnyEvent =>
      logged(counter, 'message_chunk', { message_id: 'm', content });
    const partial = read(chunk(1, 'Hel'), chunk(2, 'lo'));
    expect(partial.blocks).toMatchObject([{ text: 'Hello', isComplete: false }]);
    const whole = logged(3, 'message', { message_id: 'm', role: 'assistant', content: 'Hello!' });
    expect(appendEvents(partial, [whole, chunk(4, '?')]).blocks).toMatchObject([{ text: 'Hello!', isComplete: true }]);
  });

  it('begins with the stored messages, each of which moves to its place in the log', () => {
    const stored = (message_id: string, role: string): AnyEvent => ({
      id: undefined,
      event: 'message',
      data: { message_id, role, content: message_id },
    });
    const { blocks } = read(
      stored('question', 'user'),
      stored('answer', 'assistant'),
      logged(1, 'run_started', { attempt: 1 }),
      logged(2, 'message_chunk', { message_id: 'answer', content: 'ans' }),
      logged(3, 'message', { message_id: 'answer', role: 'assistant', content: 'answer' }),
    );
    expect(blocks).toMatchObject([{ text: 'question' }, { text: 'Attempt 1 begins' }, { text: 'answer' }]);
  });

  it('keeps the places of messages that come again as stored ones, after the log had them', () => {
    const message = (id: string | undefined): AnyEvent => ({
      id,
      event: 'message',
      data: { message_id: 'm', role: 'assistant', content: 'answer' },
    });
    const before = read(message('e_1_1795224184830234'), logged(2, 'own', {}));
    expect(appendEvents(before, [message(undefined), logged(3, 'own', {})]).blocks.map(({ kind }) => kind)).toEqual([
      'message',
      'other',
      'other',
    ]);
    const again = appendEvents(before, [message(undefined)]);
    expect(again.blocks).toEqual(before.blocks);
  });

  it('shows what it does not know', () => {
    expect(read(logged(1, 'own_event', { a: 1 })).blocks).toEqual([
      { kind: 'other', key: 'e_1_1795224184830234', type: 'own_event', data: { a: 1 } },
    ]);
  });

  it('has a tool with its arguments and result, and the members of a team', () => {
    const call = { tool_execution_id: 't', tool_name: 'add', tool_arguments: { a: 2 }, member_name: 'editor' };
    const { blocks } = read(
      logged(1, 'member_tool_started', call),
      logged(2, 'member_tool_completed', { ...call, status: 'failed', tool_error: 'no' }),
    );
    expect(blocks).toMatchObject([{ kind: 'tool', name: 'add', author: 'editor', status: 'failed', error: 'no' }]);
  });
});
