import { isJsonObject } from '@app/kernel';

const PREVIEW_LENGTH = 200;

/** Returns the first characters of a message's text; null if it has no text. */
export function previewOf({ content }: { readonly content?: unknown }): string | null {
  const text = isJsonObject(content) ? content['text'] : content;
  return typeof text === 'string' ? [...text].slice(0, PREVIEW_LENGTH).join('') : null;
}
