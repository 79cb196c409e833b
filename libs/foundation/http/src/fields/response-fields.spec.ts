import { describe, expect, it } from '@jest/globals';
import { ResponseList, ResponseMap, ResponseNested, ResponseString, redactionOf } from './response-fields.js';

class Plain {
  @ResponseString()
  readonly name!: string;
}

class Credential extends Plain {
  @ResponseString({ secret: true, nullable: true })
  readonly token!: string | null;
}

class DerivedCredential extends Credential {
  @ResponseString({ secret: true, nullable: true })
  readonly password!: string | null;
}

class One {
  @ResponseNested(Credential, { nullable: true })
  readonly credential!: Credential | null;
}

class Many {
  @ResponseList(One)
  readonly ones!: readonly One[];
}

class Mapped {
  @ResponseMap(Many)
  readonly byName!: Readonly<Record<string, Many>>;
}

class Harmless {
  @ResponseList(Plain)
  readonly plain!: readonly Plain[];
}

class Minted {
  @ResponseString({ secret: true })
  readonly key!: string;
}

const credential = { name: 'n', token: 'secret' };
const bare = { name: 'n', token: null };

describe('redactionOf a response class with secrets', () => {
  it.each([
    [Credential, credential, bare],
    [Credential, bare, bare],
    [DerivedCredential, { ...credential, password: 'secret' }, { ...bare, password: null }],
    [One, { credential }, { credential: bare }],
    [One, { credential: null }, { credential: null }],
    [Many, { ones: [{ credential }, { credential: null }] }, { ones: [{ credential: bare }, { credential: null }] }],
    [
      Mapped,
      { byName: { toString: { ones: [{ credential }] } } },
      { byName: { toString: { ones: [{ credential: bare }] } } },
    ],
  ])('replaces the secrets of %p at any depth by null and nothing else', (shape, whole, redacted) => {
    expect(JSON.stringify(redactionOf(shape)?.(whole))).toBe(JSON.stringify(redacted));
    expect(JSON.stringify(redactionOf(shape)?.([whole, whole]))).toBe(JSON.stringify([redacted, redacted]));
  });

  it('does not modify the original response', () => {
    const whole = { credential: { ...credential } };
    redactionOf(One)?.(whole);
    expect(whole).toEqual({ credential });
  });

  it('throws if a secret is not nullable', () => {
    expect(() => redactionOf(Minted)?.({ key: 'secret' })).toThrow('Minted.key');
  });
});

describe('redactionOf a response class without secrets', () => {
  it.each([Plain, Harmless, String])('returns undefined for %p', (shape) => {
    expect(redactionOf(shape)).toBeUndefined();
  });

  it('is not affected by the secrets of a subclass', () => expect(redactionOf(Plain)).toBeUndefined());
});
