import { isJsonObject, type JsonObject } from '@app/kernel';

const PREVIEW_LENGTH = 200;

/** Returns the first characters of a message's text; null if it has no text. */
export function previewOf({ content }: { readonly content?: unknown }): string | null {
  const text = isJsonObject(content) ? content['text'] : content;
  return typeof text === 'string' && text.trim() !== '' ? [...text].slice(0, PREVIEW_LENGTH).join('') : null;
}

/** Returns the preview of the newest message with a text that is not the result of a tool; null if there is none. */
export function newestPreviewIn(messages: readonly JsonObject[]): string | null {
  const newest = messages.findLast((message) => message['role'] !== 'tool' && previewOf(message) !== null);
  return newest === undefined ? null : previewOf(newest);
}
