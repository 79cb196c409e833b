import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_HELD_TEXT, Redactor, secretValues } from './secrets.js';

describe('Redactor', () => {
  it('redacts secrets anywhere in an object, the longest first', () => {
    const redactor = new Redactor(['abcdefgh', 'abcdefghijkl']);
    const redacted = redactor.redactObject({
      text: 'x abcdefghijkl y',
      list: ['abcdefgh', { deep: 'abcdefgh!' }],
      n: 1,
      nothing: null,
    });
    expect(redacted).toEqual({
      text: 'x [redacted] y',
      list: ['[redacted]', { deep: '[redacted]!' }],
      n: 1,
      nothing: null,
    });
  });

  it('redacts overlapping secrets as one', () => {
    expect(new Redactor(['abcdefgh', 'ghijklmnop']).redactText('abcdefghijklmnop')).toBe('[redacted]');
  });

  it('does not redact short values, which also occur in ordinary text', () => {
    expect(new Redactor(['true', '']).redactText('it is true')).toBe('it is true');
  });

  it('redacts values that are added later', () => {
    const redactor = new Redactor([]);
    redactor.addSecrets(['later-secret']);
    expect(redactor.redactText('later-secret')).toBe('[redacted]');
  });
});

/** Returns the concatenation of the redacted chunks. */
function redactStream(redactor: Redactor, chunks: readonly string[]): string {
  let held = NO_HELD_TEXT;
  let published = '';
  for (const chunk of chunks) {
    const next = redactor.redactChunk(held, chunk);
    published += next.redacted;
    held = next.held;
  }
  return published + redactor.redactHeld(held);
}

describe('a streamed text', () => {
  const letters = (limits: { minLength?: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), ...limits });

  it('is redacted like the whole text, wherever it is split', () => {
    fc.assert(
      fc.property(
        fc.array(letters({ minLength: 8, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(letters({ maxLength: 5 }), fc.constant('z'), fc.nat(2)), { maxLength: 30 }),
        (secrets, parts) => {
          const redactor = new Redactor(secrets);
          const chunks = parts.flatMap((part) => {
            if (typeof part === 'string') return [part];
            const secret = secrets[part % secrets.length] ?? '';
            return [secret.slice(0, part + 2), secret.slice(part + 2)];
          });
          const published = redactStream(redactor, chunks);
          expect(published).toBe(redactor.redactText(chunks.join('')));
          expect(secrets.filter((secret) => published.includes(secret))).toEqual([]);
        },
      ),
    );
  });

  it('is withheld only as long as it may be the start of a secret', () => {
    const redactor = new Redactor(['deploy-token-value']);
    expect(redactor.redactChunk(NO_HELD_TEXT, 'to deploy')).toEqual({
      redacted: 'to ',
      held: { text: 'deploy', redactedLength: 0 },
    });
    expect(redactor.redactChunk({ text: 'deploy', redactedLength: 0 }, ' it')).toEqual({
      redacted: 'deploy it',
      held: NO_HELD_TEXT,
    });
  });

  it('withholds less than the length of the longest secret', () => {
    const redactor = new Redactor(['a'.repeat(10)]);
    let held = NO_HELD_TEXT;
    let published = '';
    for (let count = 0; count < 1_000; count += 1) {
      const next = redactor.redactChunk(held, 'aa');
      held = next.held;
      published += next.redacted;
      expect(held.text.length).toBeLessThan(10);
    }
    expect(published + redactor.redactHeld(held)).toBe('[redacted]');
  });
});

describe('secretValues', () => {
  it('returns the values whose name looks like a secret or is listed', () => {
    const environment = { API_KEY: 'one', CITY: 'two', PLAIN: 'three', db_password: 'four' };
    expect(secretValues(environment, ['PLAIN'])).toEqual(['one', 'three', 'four']);
  });
});
