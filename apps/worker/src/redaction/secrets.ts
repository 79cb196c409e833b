import { isJsonObject, type JsonObject } from '@app/kernel';
import { TextMatcher, type Span } from './text-matcher.js';

/** Shorter values are not redacted, because they also occur in ordinary text. */
const MIN_SECRET_LENGTH = 8;

/** Matches the names of variables that hold secrets. */
const SECRET_NAME = /key|token|secret|passw|credential|private|auth/i;

/** Replaces each secret. */
const REDACTED = '[redacted]';

/** The end of a streamed text that is withheld because it may be the start of a secret. */
export interface HeldText {
  readonly text: string;
  /** Number of leading characters that belong to a secret for which `[redacted]` has been returned already. */
  readonly redactedLength: number;
}

export const NO_HELD_TEXT: HeldText = { text: '', redactedLength: 0 };

/** Replaces known secret values in everything that a run publishes, reports or logs. */
export class Redactor {
  private secrets: readonly TextMatcher[] = [];

  constructor(secrets: readonly string[]) {
    this.addSecrets(secrets);
  }

  addSecrets(secrets: readonly string[]): void {
    const known = new Set(this.secrets.map(({ text }) => text));
    const added = new Set(secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH && !known.has(secret)));
    this.secrets = [...this.secrets, ...[...added].map((secret) => new TextMatcher(secret))];
  }

  redactText(text: string): string {
    return this.redactUpTo({ text, redactedLength: 0 }, text.length);
  }

  /**
   * Redacts the next chunk of a streamed text. Returns the text that may be published now, and the text to pass as `previous`
   * with the next chunk. The concatenation of everything published, including `redactHeld` of the last held text, equals
   * `redactText` of the whole text.
   */
  redactChunk(previous: HeldText, chunk: string): { readonly redacted: string; readonly held: HeldText } {
    const pending = { text: previous.text + chunk, redactedLength: previous.redactedLength };
    const cut = this.startOfPartialSecret(pending.text);
    if (cut === 0) return { redacted: '', held: pending };
    const crossing = this.findSecrets(pending).find(({ start, end }) => start < cut && end > cut);
    const redactedLength = crossing === undefined ? 0 : crossing.end - cut;
    return { redacted: this.redactUpTo(pending, cut), held: { text: pending.text.slice(cut), redactedLength } };
  }

  /** Returns the held text, redacted, at the end of a streamed text. */
  redactHeld(held: HeldText): string {
    return this.redactUpTo(held, held.text.length);
  }

  /** Redacts all strings in the object, including the keys of nested objects. */
  redactObject(data: JsonObject): JsonObject {
    if (this.secrets.length === 0) return data;
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [this.redactText(name), this.redactValue(value)]),
    );
  }

  /** Returns the text up to `cut`, with each range of secrets replaced by one `[redacted]`. */
  private redactUpTo({ text, redactedLength }: HeldText, cut: number): string {
    let redacted = '';
    let position = 0;
    for (const { start, end } of this.findSecrets({ text, redactedLength })) {
      if (start >= cut) break;
      const isReplaced = start === 0 && redactedLength > 0;
      redacted += text.slice(position, start) + (isReplaced ? '' : REDACTED);
      position = end;
    }
    return redacted + text.slice(position, Math.max(position, cut));
  }

  /** Returns the ranges of secrets in ascending order; overlapping ones are merged. */
  private findSecrets({ text, redactedLength }: HeldText): Span[] {
    const found: Span[] = redactedLength > 0 ? [{ start: 0, end: redactedLength }] : [];
    for (const secret of this.secrets) for (const span of secret.occurrencesIn(text)) found.push(span);
    const merged: Span[] = [];
    for (const span of found.sort((one, other) => one.start - other.start)) {
      const last = merged.at(-1);
      if (last === undefined || span.start >= last.end) merged.push(span);
      else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    }
    return merged;
  }

  /**
   * Returns the first index from which the rest of the text is an incomplete secret; the length of the text if there is
   * none.
   */
  private startOfPartialSecret(text: string): number {
    return text.length - Math.max(0, ...this.secrets.map((secret) => secret.partialAtEndOf(text)));
  }

  private redactValue(value: unknown): unknown {
    if (typeof value === 'string') return this.redactText(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.redactValue(item));
    return isJsonObject(value) ? this.redactObject(value) : value;
  }
}

/** Returns the values of the variables whose name matches `SECRET_NAME` or is in `secretNames`. */
export function secretValues(environment: Readonly<Record<string, string>>, secretNames: readonly string[]): string[] {
  return Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name) || secretNames.includes(name))
    .map(([, value]) => value);
}
