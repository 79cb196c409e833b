import { createHash } from 'node:crypto';
import type { OpaConfig } from '@app/config';
import { isJsonObject } from '@app/kernel';
import { relocate, type Json } from '@app/rego';
import { OpaError } from './opa-error.js';
import type { PreparedPolicy } from './verdict.js';
import type { Question } from './verdict.types.js';

/** The root below which the modules live that were put there. */
const ROOT = 'agent_platform';
/** A rule that every module gets: without it in the answer, OPA does not have the module (any more). */
const MARKER = 'agent_platform_marker';
const RULES = ['allow', 'violations', 'deny'] as const;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The value of each rule, in a list that is empty where the rule is undefined. */
type Documents = Readonly<Record<string, readonly Json[]>>;

/**
 * Evaluates policies by OPA's REST API (https://www.openpolicyagent.org/docs/latest/rest-api). OPA has one namespace for
 * all its modules, in which two policies of one package would flow together; so each module is put below a root of its
 * own, named after its text. A module is put there when an answer shows that it is missing: nothing is remembered here,
 * several control planes share one OPA, and OPA may lose everything at any time.
 */
export class OpaEngine {
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ url, token }: OpaConfig & { readonly url: string }) {
    this.url = url;
    this.headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  }

  /** The rules a verdict is read from. */
  async documents(
    content: string,
    policy: PreparedPolicy,
    { input }: Question,
    milliseconds: number,
  ): Promise<Documents> {
    const name = `p_${createHash('sha256').update(content).digest('hex').slice(0, 40)}`;
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(milliseconds)));
    const query = queryFor(name, policy);
    const first = await this.query(query, input, signal);
    if (hasMarker(first)) return first;
    await this.put(name, `${relocate(content, [ROOT, name])}\n${MARKER} := true\n`, signal);
    const second = await this.query(query, input, signal);
    if (hasMarker(second)) return second;
    throw new OpaError('OPA does not keep the policy');
  }

  private async query(query: string, input: Question['input'], signal: AbortSignal): Promise<Documents> {
    const answer = await this.send('POST', '/v1/query', 'application/json', JSON.stringify({ query, input }), signal);
    const documents = (answer as { result?: { answer?: unknown }[] } | null)?.result?.[0]?.answer;
    if (!isDocuments(documents)) throw new OpaError('OPA gave no answer to the query');
    return documents;
  }

  private async put(name: string, text: string, signal: AbortSignal): Promise<void> {
    await this.send('PUT', `/v1/policies/${ROOT}_${name}`, 'text/plain', text, signal);
  }

  private async send(method: string, path: string, type: string, body: string, signal: AbortSignal): Promise<unknown> {
    const headers = { ...this.headers, 'Content-Type': type };
    try {
      const response = await fetch(this.url + path, { method, headers, body, signal, redirect: 'error' });
      const text = await readBounded(response);
      if (!response.ok) throw new OpaError(`OPA answered ${response.status}${reasonIn(text)}`);
      return JSON.parse(text) as unknown;
    } catch (error) {
      if (error instanceof OpaError) throw error;
      if (signal.aborted) throw new OpaError('OPA did not answer in time', 'time', { cause: error });
      throw new OpaError('OPA could not be asked', 'evaluation', { cause: error });
    }
  }
}

function queryFor(name: string, { path, functions }: PreparedPolicy): string {
  const module = `data.${ROOT}.${name}${path.map((part) => `[${JSON.stringify(part)}]`).join('')}`;
  const listOf = (rule: string): string => `"${rule}": [value | value := ${module}.${rule}]`;
  // A function has no value, and is no reference that a query may make.
  const rules = RULES.map((rule) => (functions.has(rule) ? `"${rule}": []` : listOf(rule)));
  return `answer := {${[...rules, listOf(MARKER)].join(', ')}}`;
}

function hasMarker(documents: Documents): boolean {
  return documents[MARKER]?.[0] === true;
}

function isDocuments(value: unknown): value is Documents {
  return isJsonObject(value) && [...RULES, MARKER].every((rule) => Array.isArray(value[rule]));
}

/** The `code` of OPA's error body, a word of its own; nothing else of it, which may hold what the policy was asked. */
function reasonIn(text: string): string {
  const code = /"code"\s*:\s*"([a-z_]{1,40})"/.exec(text)?.[1];
  return code === undefined ? '' : ` (${code})`;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new OpaError('The answer of OPA is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
