import { isJsonObject, type JsonObject } from '@app/kernel';

/** Shorter values would hide ordinary words. */
const LEAST_LENGTH = 8;

const SECRET_NAME = /key|token|secret|passw|credential|private|auth/i;

/** What stands in a secret's place. */
const MARK = '[redacted]';

/** The end of a text that comes in pieces, kept back because it may be the beginning of a secret. */
export interface HeldBack {
  readonly text: string;
  /** Its first characters that belong to a secret whose mark was shown already. */
  readonly hidden: number;
}

export const NOTHING_HELD: HeldBack = { text: '', hidden: 0 };

/** From `start` up to, not including, `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Takes known secret values out of everything that leaves a run. */
export class Redactor {
  private values: readonly string[] = [];

  constructor(secrets: readonly string[]) {
    this.hide(secrets);
  }

  /** From here on these values are hidden as well. */
  hide(secrets: readonly string[]): void {
    this.values = [...new Set([...this.values, ...secrets.filter((secret) => secret.length >= LEAST_LENGTH)])];
  }

  text(text: string): string {
    return this.show({ text, hidden: 0 }, text.length);
  }

  /**
   * The next piece of a text that comes in pieces: what may be shown of it and of what was held back before, and what is
   * held back now. All that is shown, and `rest` of what is held in the end, make what `text` makes of the whole.
   */
  piece(before: HeldBack, piece: string): { readonly shown: string; readonly held: HeldBack } {
    const whole = { text: before.text + piece, hidden: before.hidden };
    const cut = this.secretMayBeginAt(whole.text);
    if (cut === 0) return { shown: '', held: whole };
    const crossing = this.secretsIn(whole).find(({ start, end }) => start < cut && end > cut);
    const hidden = crossing === undefined ? 0 : crossing.end - cut;
    return { shown: this.show(whole, cut), held: { text: whole.text.slice(cut), hidden } };
  }

  /** What was held back, when nothing follows it. */
  rest(held: HeldBack): string {
    return this.show(held, held.text.length);
  }

  object(data: JsonObject): JsonObject {
    if (this.values.length === 0) return data;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [this.text(name), this.value(value)]));
  }

  /** The text up to `cut`, each stretch of secrets replaced by a mark. */
  private show({ text, hidden }: HeldBack, cut: number): string {
    let shown = '';
    let position = 0;
    for (const { start, end } of this.secretsIn({ text, hidden })) {
      if (start >= cut) break;
      const marked = start === 0 && hidden > 0;
      shown += text.slice(position, start) + (marked ? '' : MARK);
      position = end;
    }
    return shown + text.slice(position, Math.max(position, cut));
  }

  /** Where secrets stand, in order; those that overlap are one. */
  private secretsIn({ text, hidden }: HeldBack): Span[] {
    const found: Span[] = hidden > 0 ? [{ start: 0, end: hidden }] : [];
    for (const secret of this.values) {
      for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + 1)) {
        found.push({ start, end: start + secret.length });
      }
    }
    const merged: Span[] = [];
    for (const span of found.sort((one, other) => one.start - other.start)) {
      const last = merged.at(-1);
      if (last === undefined || span.start >= last.end) merged.push(span);
      else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    }
    return merged;
  }

  /** The first place from which on the text is the beginning of a secret and no more than that; its length where none is. */
  private secretMayBeginAt(text: string): number {
    const longest = Math.max(0, ...this.values.map((secret) => secret.length));
    for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
      const end = text.slice(start);
      if (this.values.some((secret) => secret.length > end.length && secret.startsWith(end))) return start;
    }
    return text.length;
  }

  private value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.value(item));
    return isJsonObject(value) ? this.object(value) : value;
  }
}

/** The values of an environment that its names, or the list of secrets, mark as secret. */
export function secretValues(environment: Readonly<Record<string, string>>, secretNames: readonly string[]): string[] {
  return Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name) || secretNames.includes(name))
    .map(([, value]) => value);
}
