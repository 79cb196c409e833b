import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '@app/kernel';
import { Webhook } from 'standardwebhooks';
import type { JobWebhookCall } from '../jobs/job.types.js';

/** Maximum distance between the timestamp of a signed message and now, in both directions (Standard Webhooks 1.0). */
export const TIMESTAMP_TOLERANCE_MS = 300_000;

const TOKEN_LENGTH = 40;
const MAX_MESSAGE_ID_LENGTH = 255;
const UNIX_SECONDS = /^\d{1,12}$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Returns the random last part of a webhook URL. */
export function newWebhookToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

const TOKEN = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`);

/** Returns whether a token has the form of a job's token. Other tokens need no look-up. */
export function isWebhookToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Returns whether a call is signed with the secret. A call with any header of Standard Webhooks is verified by that
 * scheme only; the caller checks that the message id is new. Any other call needs `X-Webhook-Signature`: the hex
 * HMAC-SHA256 of the body with the text of the secret as key, with an optional prefix `sha256=`.
 */
export function isSigned(call: JobWebhookCall, secret: string, now: Date): boolean {
  const { webhookId, webhookTimestamp, webhookSignature } = call;
  if (webhookId === null && webhookTimestamp === null && webhookSignature === null) {
    return hasPlainSignature(call, secret);
  }
  if (webhookId === null || webhookTimestamp === null || webhookSignature === null) return false;
  if (webhookId === '' || webhookId.length > MAX_MESSAGE_ID_LENGTH || !UNIX_SECONDS.test(webhookTimestamp))
    return false;
  // Only the computation of the signature is used, because `Webhook.verify` reads the system clock and parses the body.
  const sentAt = new Date(Number(webhookTimestamp) * 1000);
  if (Math.abs(sentAt.getTime() - now.getTime()) > TIMESTAMP_TOLERANCE_MS) return false;
  const expected = new Webhook(secret).sign(webhookId, sentAt, Buffer.from(call.rawBody));
  return webhookSignature.split(' ').some((signature) => isEqual(signature, expected));
}

function hasPlainSignature({ signature, rawBody }: JobWebhookCall, secret: string): boolean {
  const digest = signature?.replace(/^sha256=/, '');
  if (digest === undefined || !HEX_SHA256.test(digest)) return false;
  return isEqual(digest.toLowerCase(), createHmac('sha256', secret).update(rawBody).digest('hex'));
}

/** Compares in constant time. */
function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
