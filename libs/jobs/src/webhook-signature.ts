import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '@app/kernel';
import type { WebhookCall } from './job.types.js';

/** How far the time stamp of a signed message may lie from now, either way (Standard Webhooks 1.0). */
export const TIMESTAMP_TOLERANCE_MS = 300_000;

const TOKEN_LENGTH = 40;
const SECRET_PREFIX = 'whsec_';
const MAX_MESSAGE_ID_LENGTH = 255;

/** The last part of a webhook's address. */
export function newWebhookToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/** In the form of Standard Webhooks: the base64 of 32 bytes behind a prefix. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + Buffer.from(randomBase62(32), 'latin1').toString('base64');
}

/**
 * Whether a call is signed with the secret. A call that has any header of Standard Webhooks is held to that scheme;
 * that its id is new is for the caller to see to. Any other needs `X-Webhook-Signature`: the hex HMAC-SHA256 of the body
 * under the secret's text, with or without `sha256=` before it.
 */
export function isSigned(call: WebhookCall, secret: string, now: Date): boolean {
  const { webhookId: id, webhookTimestamp: timestamp, webhookSignature: signatures } = call;
  if (id === null && timestamp === null && signatures === null) return hasPlainSignature(call, secret);
  if (id === null || timestamp === null || signatures === null) return false;
  if (id === '' || id.length > MAX_MESSAGE_ID_LENGTH || !isRecent(timestamp, now)) return false;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(call.rawBody).digest();
  return signatures.split(' ').some((signature) => {
    const [version, digest] = signature.split(',');
    return version === 'v1' && equal(Buffer.from(digest ?? '', 'base64'), expected);
  });
}

function hasPlainSignature({ signature, rawBody }: WebhookCall, secret: string): boolean {
  const digest = signature?.replace(/^sha256=/, '');
  if (digest === undefined || !/^[0-9a-f]{64}$/i.test(digest)) return false;
  return equal(Buffer.from(digest, 'hex'), createHmac('sha256', secret).update(rawBody).digest());
}

function isRecent(timestamp: string, now: Date): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) * 1000 - now.getTime()) <= TIMESTAMP_TOLERANCE_MS;
}

/** Takes the same time wherever they differ. */
function equal(received: Buffer, expected: Buffer): boolean {
  return received.length === expected.length && timingSafeEqual(received, expected);
}
