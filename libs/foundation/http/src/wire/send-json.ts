import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from './security-headers.js';

/** Sends a JSON response with the common headers. Does nothing if a response was sent or the client has disconnected. */
export function sendJson(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  if (response.headersSent || response.destroyed) return;
  const { text, all } = completeResponse(headers, body);
  response.writeHead(status, all);
  response.end(text);
}

/** Like `sendJson`, with a body of another media type. */
export function sendBytes(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: { readonly type: string; readonly bytes: Uint8Array },
): void {
  if (response.headersSent || response.destroyed) return;
  const { type, bytes } = body;
  const own = { 'Content-Type': type, 'Content-Length': bytes.byteLength };
  response.writeHead(status, { ...SECURITY_HEADERS, ...own, ...headers });
  response.end(bytes);
}

export function completeResponse(
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
