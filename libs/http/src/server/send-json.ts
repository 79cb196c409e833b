import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from './security-headers.js';

/** Answers without Express in front, with the headers that every answer has. */
export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  if (response.headersSent || response.destroyed) return;
  const { text, all } = wholeAnswer(headers, body);
  response.writeHead(status, all);
  response.end(text);
}

export function wholeAnswer(
  headers: Readonly<Record<string, string>>,
  body: unknown,
): { readonly text: string; readonly all: Readonly<Record<string, string | number>> } {
  const text = JSON.stringify(body);
  const all = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  };
  return { text, all };
}
