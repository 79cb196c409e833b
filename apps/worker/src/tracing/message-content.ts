import { isJsonObject } from '@app/kernel';

/** A message as the conventions for generative AI describe it: a role and parts with a `type`. */
interface Message {
  readonly role: string;
  readonly parts: readonly object[];
  readonly finish_reason?: string;
}

/** Returns the JSON text of `gen_ai.input.messages`, of a prompt of the model's interface. */
export function inputMessages(prompt: readonly { readonly role: string; readonly content: unknown }[]): string {
  return JSON.stringify(prompt.map(({ role, content }): Message => ({ role, parts: partsOf(content) })));
}

/** Returns the JSON text of `gen_ai.output.messages`, of the content of an answer. */
export function outputMessages(content: readonly unknown[], finishReason: string): string {
  const message: Message = { role: 'assistant', parts: partsOf(content), finish_reason: finishReason };
  return JSON.stringify([message]);
}

/** Collects the content of a streamed answer. */
export function contentsOf(): { take(part: { readonly type: string }): void; read(): readonly unknown[] } {
  const contents: unknown[] = [];
  let text = '';
  return {
    take(part) {
      if (part.type === 'text-delta' && 'delta' in part) text += String(part.delta);
      if (part.type === 'tool-call') contents.push(part);
    },
    read: () => [...(text === '' ? [] : [{ type: 'text', text }]), ...contents],
  };
}

function partsOf(content: unknown): object[] {
  if (typeof content === 'string') return [{ type: 'text', content }];
  return Array.isArray(content) ? content.map(partOf) : [];
}

function partOf(part: unknown): object {
  if (!isJsonObject(part)) return { type: 'unknown' };
  const { type, text, toolCallId: id, toolName: name, input, output } = part;
  if (type === 'tool-call') return { type: 'tool_call', id, name, arguments: input };
  if (type === 'tool-result') return { type: 'tool_call_response', id, response: output };
  if (type === 'text' || type === 'reasoning') return { type, content: text };
  return { type };
}
