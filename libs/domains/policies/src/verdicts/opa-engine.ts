import { createHash } from 'node:crypto';
import type { OpaConfig } from '@app/config';
import { isJsonObject, parseExactJson } from '@app/kernel';
import { relocate, type Json } from '@app/rego';
import { OpaError } from '../evaluation/opa.error.js';
import {
  RESULT_RULES,
  type EvaluationRequest,
  type PolicyShape,
  type RuleDocuments,
} from '../evaluation/verdict.types.js';

/** The root of the packages of all uploaded modules. */
const ROOT = 'agent_platform';
/** A rule that is added to every module. If the result of a query does not contain it, OPA does not have the module. */
const MARKER = 'agent_platform_marker';
const MAX_RESPONSE_BYTES = 1024 * 1024;

type MarkedDocuments = RuleDocuments & Readonly<Record<typeof MARKER, readonly Json[]>>;

/**
 * Evaluates policies with OPA's REST API (https://www.openpolicyagent.org/docs/latest/rest-api). OPA has one namespace for
 * all modules and merges modules of the same package, so each module is uploaded under a separate package, named after
 * the digest of its text. A module is uploaded when a query shows that OPA does not have it. The process keeps no record of
 * uploads, because several control planes share one OPA and OPA loses all modules when it restarts.
 */
export class OpaEngine {
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ url, token }: OpaConfig & { readonly url: string }) {
    this.url = url;
    this.headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Returns the documents of the rules in `RESULT_RULES`. Throws `OpaError`. `milliseconds` limits all requests together. */
  async evaluate(
    content: string,
    policy: PolicyShape,
    { input }: EvaluationRequest,
    milliseconds: number,
  ): Promise<RuleDocuments> {
    const name = `p_${createHash('sha256').update(content).digest('hex').slice(0, 40)}`;
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(milliseconds)));
    const query = queryFor(name, policy);
    const first = await this.query(query, input, signal);
    if (hasMarker(first)) return first;
    await this.upload(name, `${relocate(content, [ROOT, name])}\n${MARKER} := true\n`, signal);
    const second = await this.query(query, input, signal);
    if (hasMarker(second)) return second;
    throw new OpaError('OPA did not keep the uploaded policy');
  }

  private async query(query: string, input: EvaluationRequest['input'], signal: AbortSignal): Promise<MarkedDocuments> {
    const body = JSON.stringify({ query, input });
    const response = await this.send('POST', '/v1/query', 'application/json', body, signal);
    const documents = (response as { result?: { answer?: unknown }[] } | null)?.result?.[0]?.answer;
    if (!isMarkedDocuments(documents)) throw new OpaError('OPA returned an unexpected response');
    return documents;
  }

  private async upload(name: string, text: string, signal: AbortSignal): Promise<void> {
    await this.send('PUT', `/v1/policies/${ROOT}_${name}`, 'text/plain', text, signal);
  }

  private async send(method: string, path: string, type: string, body: string, signal: AbortSignal): Promise<unknown> {
    const headers = { ...this.headers, 'Content-Type': type };
    try {
      const response = await fetch(this.url + path, { method, headers, body, signal, redirect: 'error' });
      const text = await readBounded(response);
      if (!response.ok) throw new OpaError(`OPA returned status ${response.status}${errorCodeIn(text)}`);
      return parseExactJson(text);
    } catch (error) {
      if (error instanceof OpaError) throw error;
      if (signal.aborted) throw new OpaError('OPA did not respond in time', 'time', { cause: error });
      throw new OpaError('the request to OPA failed', 'evaluation', { cause: error });
    }
  }
}

function queryFor(name: string, { path, functions }: PolicyShape): string {
  const module = `data.${ROOT}.${name}${path.map((part) => `[${JSON.stringify(part)}]`).join('')}`;
  const listOf = (rule: string): string => `"${rule}": [value | value := ${module}.${rule}]`;
  // A function has no value, and OPA rejects a query that refers to one.
  const rules = RESULT_RULES.map((rule) => (functions.has(rule) ? `"${rule}": []` : listOf(rule)));
  return `answer := {${[...rules, listOf(MARKER)].join(', ')}}`;
}

function hasMarker(documents: MarkedDocuments): boolean {
  return documents[MARKER][0] === true;
}

function isMarkedDocuments(value: unknown): value is MarkedDocuments {
  return isJsonObject(value) && [...RESULT_RULES, MARKER].every((rule) => Array.isArray(value[rule]));
}

/** Returns only the `code` of OPA's error body, a fixed keyword. The rest of the body may contain parts of the input. */
function errorCodeIn(text: string): string {
  const code = /"code"\s*:\s*"([a-z_]{1,40})"/.exec(text)?.[1];
  return code === undefined ? '' : ` (${code})`;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new OpaError('the response of OPA is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
