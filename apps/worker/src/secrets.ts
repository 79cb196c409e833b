import { isJsonObject, type JsonObject } from '@app/kernel';

/** Shorter values would hide ordinary words. */
const LEAST_LENGTH = 8;

const SECRET_NAME = /key|token|secret|passw|credential|private|auth/i;

/** Takes known secret values out of everything that leaves a run. */
export class Redactor {
  private values: readonly string[] = [];

  constructor(secrets: readonly string[]) {
    this.hide(secrets);
  }

  /** From here on these values are hidden as well. */
  hide(secrets: readonly string[]): void {
    const usable = new Set([...this.values, ...secrets.filter((secret) => secret.length >= LEAST_LENGTH)]);
    // The longest first: a secret may contain another.
    this.values = [...usable].sort((one, other) => other.length - one.length);
  }

  text(text: string): string {
    return this.values.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
  }

  object(data: JsonObject): JsonObject {
    if (this.values.length === 0) return data;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [this.text(name), this.value(value)]));
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
