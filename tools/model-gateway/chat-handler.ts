import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { readChatRequest, type ChatRequest } from './chat-request.js';
import { Completion } from './completion.js';
import { GatewayError } from './gateway-error.js';
import { planReply, type Reply } from './reply.js';

/** Answers one chat completion, whole or as a stream, with the waits and faults the prompt asked for. */
export async function answerChat(body: unknown, response: ServerResponse): Promise<void> {
  const request = readChatRequest(body);
  const reply = planReply(request);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    await pause(reply.directives.delay, gone.signal);
    failWhenAsked(reply);
    const completion = new Completion(request, reply, Math.floor(Date.now() / 1000));
    if (request.stream) await stream(request, reply, completion, response, gone.signal);
    else await sendWhole(reply, completion, response, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function failWhenAsked({ directives: { error } }: Reply): void {
  if (error === null) return;
  const message = `The prompt asked the development gateway for an error ${error.status}.`;
  throw new GatewayError(error.status, message, 'asked_for', null, error.retryAfterSeconds);
}

async function sendWhole(
  reply: Reply,
  completion: Completion,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { pace, breakAfter } = reply.directives;
  await pause(pace * reply.content.length, gone);
  if (breakAfter !== null) return cutOff(response);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion.whole()));
}

async function stream(
  request: ChatRequest,
  reply: Reply,
  completion: Completion,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const { pace, breakAfter } = reply.directives;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  let sent = 0;
  for (const chunk of completion.deltas()) {
    // The first delta only names the role; pace and break count the tokens behind it.
    if (breakAfter !== null && sent > breakAfter) return cutOff(response);
    if (sent > 0) await pause(pace, gone);
    await send(response, JSON.stringify(chunk), gone);
    sent += 1;
  }
  await send(response, JSON.stringify(completion.finish()), gone);
  if (request.includeUsage) await send(response, JSON.stringify(completion.usageChunk()), gone);
  await send(response, '[DONE]', gone);
  response.end();
}

/** Ends the connection in the middle of the answer, after what was written has left. */
async function cutOff(response: ServerResponse): Promise<void> {
  await nextTurn();
  response.socket?.destroySoon();
}

async function send(response: ServerResponse, data: string, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  if (!response.write(`data: ${data}\n\n`)) await once(response, 'drain', { signal: gone });
}

async function pause(milliseconds: number, gone: AbortSignal): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal: gone });
}
