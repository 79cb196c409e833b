import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '@app/kernel';
import { Webhook } from 'standardwebhooks';
import type { JobWebhookCall, WebhookSignature } from '../jobs/job.types.js';

/**
 * Maximum distance between the timestamp of a signed call and now, in both directions (Standard Webhooks 1.0, Stripe and
 * Slack).
 */
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

/** An authenticated call. */
export interface VerifiedCall {
  /** The caller must accept only one call with this id per job. Null if the scheme does not prevent repetitions. */
  readonly messageId: string | null;
}

/** Returns undefined for a call that the secret does not authenticate. */
type Scheme = (call: JobWebhookCall, secret: string, now: Date) => VerifiedCall | undefined;

const SCHEMES: Readonly<Record<WebhookSignature, Scheme>> = {
  standard: verifyStandard,
  github: verifyGitHub,
  stripe: verifyStripe,
  slack: verifySlack,
  none_with_secret_in_url: verifySecretInUrl,
};

/**
 * Authenticates a call by the scheme of its job and no other. The signatures cover the bytes of the body as received.
 * Secrets and digests are compared in constant time.
 */
export function verifyCall(
  call: JobWebhookCall,
  {
    webhook_signature,
    webhook_secret,
  }: { readonly webhook_signature: WebhookSignature; readonly webhook_secret: string },
  now: Date,
): VerifiedCall | undefined {
  return SCHEMES[webhook_signature](call, webhook_secret, now);
}

/**
 * A call with any header of Standard Webhooks is verified by that scheme only. Any other call needs
 * `X-Webhook-Signature`: the hex HMAC-SHA256 of the body with the text of the secret as key, with an optional prefix
 * `sha256=`; or the header of GitHub, which is the same under a name of its own.
 */
function verifyStandard(call: JobWebhookCall, secret: string, now: Date): VerifiedCall | undefined {
  const { headers } = call;
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (id !== undefined || timestamp !== undefined || signature !== undefined) {
    return verifyStandardWebhooks(call, secret, now);
  }
  if (headers['x-webhook-signature'] === undefined) return verifyGitHub(call, secret);
  const digest = headers['x-webhook-signature'].replace(/^sha256=/, '');
  if (!HEX_SHA256.test(digest)) return undefined;
  return isEqual(digest.toLowerCase(), digestOf(secret, call.rawBody)) ? { messageId: null } : undefined;
}

function verifyStandardWebhooks(
  { headers, rawBody }: JobWebhookCall,
  secret: string,
  now: Date,
): VerifiedCall | undefined {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (id === '' || id.length > MAX_MESSAGE_ID_LENGTH || !isCurrent(timestamp, now)) return undefined;
  if (!isBase64(secret.replace(/^whsec_/, ''))) return undefined;
  // Only the computation of the signature is used, because `Webhook.verify` reads the system clock and parses the body.
  const expected = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), Buffer.from(rawBody));
  return signatures.split(' ').some((signature) => isEqual(signature, expected)) ? { messageId: id } : undefined;
}

/** `X-Hub-Signature-256`, see "Validating webhook deliveries" in the documentation of GitHub. */
function verifyGitHub({ headers, rawBody }: JobWebhookCall, secret: string): VerifiedCall | undefined {
  const expected = `sha256=${digestOf(secret, rawBody)}`;
  return isEqual(headers['x-hub-signature-256'] ?? '', expected) ? { messageId: null } : undefined;
}

/**
 * `Stripe-Signature: t=…,v1=…`, see "Verify webhook signatures manually" in the documentation of Stripe. Several `v1` are
 * the signatures of several secrets; other schemes, such as `v0` of test events, are ignored.
 */
function verifyStripe({ headers, rawBody }: JobWebhookCall, secret: string, now: Date): VerifiedCall | undefined {
  const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [timestamp, ...others] = valuesOf('t');
  if (others.length > 0 || !isCurrent(timestamp, now)) return undefined;
  const expected = digestOf(secret, `${timestamp}.`, rawBody);
  return valuesOf('v1').some((digest) => isEqual(digest, expected)) ? { messageId: expected } : undefined;
}

/** `X-Slack-Signature`, see "Verifying requests from Slack" in the documentation of Slack. */
function verifySlack({ headers, rawBody }: JobWebhookCall, secret: string, now: Date): VerifiedCall | undefined {
  const timestamp = headers['x-slack-request-timestamp'];
  if (!isCurrent(timestamp, now)) return undefined;
  const digest = digestOf(secret, `v0:${timestamp}:`, rawBody);
  return isEqual(headers['x-slack-signature'] ?? '', `v0=${digest}`) ? { messageId: digest } : undefined;
}

function verifySecretInUrl({ urlSecret }: JobWebhookCall, secret: string): VerifiedCall | undefined {
  return isEqual(urlSecret ?? '', secret) ? { messageId: null } : undefined;
}

function isCurrent(timestamp: string | undefined, now: Date): timestamp is string {
  if (timestamp === undefined || !UNIX_SECONDS.test(timestamp)) return false;
  return Math.abs(Number(timestamp) * 1000 - now.getTime()) <= TIMESTAMP_TOLERANCE_MS;
}

/** Returns the hex HMAC-SHA256 of the parts, one after another, with the text of the secret as key. */
function digestOf(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

function isBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text;
}

/** Compares in constant time. */
function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
