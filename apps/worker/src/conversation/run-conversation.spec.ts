import { describe, expect, it } from '@jest/globals';
import { SystemClock, type JsonObject } from '@app/kernel';
import { eventually } from '@app/testing';
import { Redactor } from '../redaction/secrets.js';
import { NestedConversation, NO_HISTORY } from './conversation.js';
import { RunConversation, type RunConversationOptions } from './run-conversation.js';

const user = (content: string) => ({ role: 'user', content }) as const;

function open(options: Partial<RunConversationOptions> = {}) {
  const batches: (readonly JsonObject[])[] = [];
  const conversation = new RunConversation(NO_HISTORY, {
    redactor: new Redactor(['super-secret-value']),
    clock: new SystemClock(),
    isSavedAsItGoes: true,
    store: (messages) => Promise.resolve(void batches.push(messages)),
    ...options,
  });
  return { conversation, batches, contents: () => batches.flat().map(({ content }) => content) };
}

describe('RunConversation', () => {
  it('stores messages in order, redacted, with an id and a time', async () => {
    const { conversation, batches } = open();
    conversation.append([user('the super-secret-value')]);
    conversation.append([{ role: 'assistant', content: 'a\u0000b', message_id: 'm1', tool_calls: [] }]);
    await conversation.flush();
    expect(batches).toEqual([
      [
        {
          message_id: expect.any(String),
          timestamp: expect.stringContaining('T'),
          role: 'user',
          content: 'the [redacted]',
        },
        expect.objectContaining({ message_id: 'm1', content: 'a\ufffdb', tool_calls: [] }),
      ],
    ]);
  });

  it('stores attached messages before the next appended ones, in one batch', async () => {
    const { conversation, batches } = open();
    const member = new NestedConversation();
    member.append([user('task')]);
    conversation.attach(member.marked({ source: 'member', member_name: 'a' }));
    await conversation.flush();
    expect(batches).toEqual([]);
    conversation.append([user('own')]);
    await conversation.flush();
    expect(batches).toEqual([
      [expect.objectContaining({ content: 'task', source: 'member', member_name: 'a' }), expect.anything()],
    ]);
  });

  it('splits batches that are too large for one request', async () => {
    const { conversation, batches, contents } = open();
    const large = 'x'.repeat(800_000);
    const messages = Array.from({ length: 7 }, (_, n) => user(`${n}${large}`));
    conversation.append([...messages, ...Array.from({ length: 600 }, () => user('s'))]);
    await conversation.flush();
    expect(batches.map(({ length }) => length)).toEqual([5, 500, 102]);
    expect(
      contents()
        .slice(0, 7)
        .map((content) => String(content)[0]),
    ).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('stores messages as they are appended, or only at flush', async () => {
    const early = open();
    early.conversation.append([user('a')]);
    await eventually(() => expect(early.contents()).toEqual(['a']));
    const late = open({ isSavedAsItGoes: false });
    late.conversation.append([user('a')]);
    late.conversation.append([user('b')]);
    expect(late.batches).toEqual([]);
    await late.conversation.flush();
    expect(late.contents()).toEqual(['a', 'b']);
  });

  it('stores nothing after a failure', async () => {
    let calls = 0;
    const store = () => Promise.reject(new Error(`failure ${(calls += 1)}`));
    const { conversation } = open({ store });
    conversation.append([user('a')]);
    await expect(conversation.flush()).rejects.toThrow('failure 1');
    conversation.append([user('b')]);
    await expect(conversation.flush()).rejects.toThrow('failure 1');
    expect(calls).toBe(1);
  });
});
