import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NOTHING_HELD, Redactor, secretValues } from './secrets.js';

describe('Redactor', () => {
  it('hides secrets anywhere in an object, the longer one first', () => {
    const redactor = new Redactor(['abcdefgh', 'abcdefghijkl']);
    const shown = redactor.object({
      text: 'x abcdefghijkl y',
      list: ['abcdefgh', { deep: 'abcdefgh!' }],
      n: 1,
      nothing: null,
    });
    expect(shown).toEqual({
      text: 'x [redacted] y',
      list: ['[redacted]', { deep: '[redacted]!' }],
      n: 1,
      nothing: null,
    });
  });

  it('hides secrets that overlap whole', () => {
    expect(new Redactor(['abcdefgh', 'ghijklmnop']).text('abcdefghijklmnop')).toBe('[redacted]');
  });

  it('leaves short values alone, which would hide ordinary words', () => {
    expect(new Redactor(['true', '']).text('it is true')).toBe('it is true');
  });

  it('hides values it learns later', () => {
    const redactor = new Redactor([]);
    redactor.hide(['later-secret']);
    expect(redactor.text('later-secret')).toBe('[redacted]');
  });
});

/** What a reader sees who puts the pieces together. */
function shownOf(redactor: Redactor, pieces: readonly string[]): string {
  let held = NOTHING_HELD;
  let seen = '';
  for (const text of pieces) {
    const { shown, held: kept } = redactor.piece(held, text);
    seen += shown;
    held = kept;
  }
  return seen + redactor.rest(held);
}

describe('a text in pieces', () => {
  const letters = (limits: { minLength?: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), ...limits });

  it('shows what the whole shows, wherever it was cut', () => {
    fc.assert(
      fc.property(
        fc.array(letters({ minLength: 8, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(letters({ maxLength: 5 }), fc.constant('z'), fc.nat(2)), { maxLength: 30 }),
        (secrets, parts) => {
          const redactor = new Redactor(secrets);
          const pieces = parts.flatMap((part) => {
            if (typeof part === 'string') return [part];
            const secret = secrets[part % secrets.length] ?? '';
            return [secret.slice(0, part + 2), secret.slice(part + 2)];
          });
          const seen = shownOf(redactor, pieces);
          expect(seen).toBe(redactor.text(pieces.join('')));
          expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
        },
      ),
    );
  });

  it('is held back no longer than it may be a secret', () => {
    const redactor = new Redactor(['deploy-token-value']);
    expect(redactor.piece(NOTHING_HELD, 'to deploy')).toEqual({ shown: 'to ', held: { text: 'deploy', hidden: 0 } });
    expect(redactor.piece({ text: 'deploy', hidden: 0 }, ' it')).toEqual({ shown: 'deploy it', held: NOTHING_HELD });
  });

  it('holds no more than a secret, whatever comes', () => {
    const redactor = new Redactor(['a'.repeat(10)]);
    let held = NOTHING_HELD;
    let seen = '';
    for (let count = 0; count < 1_000; count += 1) {
      const { shown, held: kept } = redactor.piece(held, 'aa');
      held = kept;
      seen += shown;
      expect(held.text.length).toBeLessThan(10);
    }
    expect(seen + redactor.rest(held)).toBe('[redacted]');
  });
});

describe('secretValues', () => {
  it('takes what its name or the list marks as secret', () => {
    const environment = { API_KEY: 'one', CITY: 'two', PLAIN: 'three', db_password: 'four' };
    expect(secretValues(environment, ['PLAIN'])).toEqual(['one', 'three', 'four']);
  });
});
