import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { readChatRequest, type ChatRequest } from './chat-request.js';
import { Completion } from './completion.js';
import { GatewayError } from './gateway-error.js';
import { planReply, type Reply } from './reply.js';

/**
 * Sends one chat completion, whole or streamed, with the delays and failures that the directives of the prompt request.
 */
export async function handleChatCompletion(body: unknown, response: ServerResponse): Promise<void> {
  const request = readChatRequest(body);
  const reply = planReply(request);
  const disconnect = new AbortController();
  response.once('close', () => disconnect.abort());
  try {
    await pause(reply.directives.delay, disconnect.signal);
    throwRequestedError(reply);
    const completion = new Completion(request, reply, Math.floor(Date.now() / 1000));
    if (request.stream) await stream(request, reply, completion, response, disconnect.signal);
    else await sendWhole(reply, completion, response, disconnect.signal);
  } catch (error) {
    if (!disconnect.signal.aborted) throw error;
  }
}

function throwRequestedError({ directives: { error } }: Reply): void {
  if (error === null) return;
  const message = `The prompt asked for the error ${error.status}.`;
  throw new GatewayError(error.status, message, 'asked_for', null, error.retryAfterSeconds);
}

async function sendWhole(
  reply: Reply,
  completion: Completion,
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<void> {
  const { pace, breakAfter, cutAfter } = reply.directives;
  await pause(pace * reply.content.length, disconnected);
  if (breakAfter !== null) return cutConnection(response);
  const body = JSON.stringify(completion.whole());
  response.writeHead(200, { 'content-type': 'application/json' }).end(cutAfter === null ? body : body.slice(0, -1));
}

async function stream(
  request: ChatRequest,
  reply: Reply,
  completion: Completion,
  response: ServerResponse,
  disconnected: AbortSignal,
): Promise<void> {
  const { pace, breakAfter, cutAfter } = reply.directives;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  let sent = 0;
  for (const chunk of completion.deltas()) {
    // The first delta contains only the role. The directives `pace`, `break` and `cut` count the later tokens.
    if (breakAfter !== null && sent > breakAfter) return cutConnection(response);
    if (cutAfter !== null && sent > cutAfter) return void response.end();
    if (sent > 0) await pause(pace, disconnected);
    await send(response, JSON.stringify(chunk), disconnected);
    sent += 1;
  }
  await send(response, JSON.stringify(completion.finish()), disconnected);
  if (request.includeUsage) await send(response, JSON.stringify(completion.usageChunk()), disconnected);
  await send(response, '[DONE]', disconnected);
  response.end();
}

/** Closes the connection before the end of the response, after flushing what was written. */
async function cutConnection(response: ServerResponse): Promise<void> {
  await nextTurn();
  response.socket?.destroySoon();
}

async function send(response: ServerResponse, data: string, disconnected: AbortSignal): Promise<void> {
  disconnected.throwIfAborted();
  if (!response.write(`data: ${data}\n\n`)) await once(response, 'drain', { signal: disconnected });
}

async function pause(milliseconds: number, disconnected: AbortSignal): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal: disconnected });
}
