import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actionOf, canonicalJson, digestOf, plainInput } from './policy-decision-input.js';

const inputs = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });

describe('the digest of an input', () => {
  it('is the SHA-256 of the canonical form', () => {
    const input = { '\u20ac': 'Euro', b: [1e21, 0.1, -0, 1.5e-7], a: { z: null, '\r': '\u000f"\\' } };
    expect(canonicalJson(input)).toBe('{"a":{"\\r":"\\u000f\\"\\\\","z":null},"b":[1e+21,0.1,0,1.5e-7],"€":"Euro"}');
    expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  it('sorts keys by UTF-16 code units, not by code points', () => {
    expect(canonicalJson({ '\ufb33': 1, '\ud83d\ude00': 2, '\u0080': 3 })).toBe(
      '{"\u0080":3,"\ud83d\ude00":2,"\ufb33":1}',
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse());
        expect(digestOf(reversed)).toBe(digestOf(input));
      }),
    );
  });

  it('differs for different inputs', () => {
    fc.assert(
      fc.property(inputs, inputs, (one, other) => {
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(digestOf(one) === digestOf(other)).toBe(same);
      }),
    );
  });
});

describe('the input of a decision', () => {
  it('is normalized to JSON', () => {
    const { plain, bytes } = plainInput({ missing: undefined, at: new Date(0), text: 'ä' });
    expect(plain).toEqual({ at: '1970-01-01T00:00:00.000Z', text: 'ä' });
    expect(Object.keys(plain)).toEqual(['at', 'text']);
    expect(bytes).toBe(Buffer.byteLength('{"at":"1970-01-01T00:00:00.000Z","text":"ä"}'));
  });

  it('has an action if `action` is a string', () => {
    expect(actionOf({ action: 'execute' })).toBe('execute');
    expect(actionOf({ action: 'x'.repeat(300) })).toHaveLength(200);
    expect(actionOf({ action: { name: 'execute' } })).toBeNull();
    expect(actionOf({})).toBeNull();
  });
});

/** Sorts all keys, independently of the code under test. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}
