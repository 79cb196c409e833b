import type { EmbeddedResource, ImageContent, TextContent } from '@modelcontextprotocol/server';

/** A PNG of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

export const IMAGE: ImageContent = { type: 'image', data: PNG, mimeType: 'image/png' };

export function text(value: string): TextContent {
  return { type: 'text', text: value };
}

export function resource(uri: string, mimeType: string, value: string): EmbeddedResource {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}
