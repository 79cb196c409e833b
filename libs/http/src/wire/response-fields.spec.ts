import { describe, expect, it } from '@jest/globals';
import { OutMany, OutMap, OutOne, OutString, redactionOf } from './response-fields.js';

class Plain {
  @OutString()
  readonly name!: string;
}

class Credential extends Plain {
  @OutString({ secret: true, nullable: true })
  readonly token!: string | null;
}

class Heir extends Credential {
  @OutString({ secret: true, nullable: true })
  readonly password!: string | null;
}

class One {
  @OutOne(Credential, { nullable: true })
  readonly credential!: Credential | null;
}

class Many {
  @OutMany(One)
  readonly ones!: readonly One[];
}

class Mapped {
  @OutMap(Many)
  readonly byName!: Readonly<Record<string, Many>>;
}

class Harmless {
  @OutMany(Plain)
  readonly plain!: readonly Plain[];
}

class Minted {
  @OutString({ secret: true })
  readonly key!: string;
}

const credential = { name: 'n', token: 'secret' };
const bare = { name: 'n', token: null };

describe('an answer that holds secrets', () => {
  it.each([
    [Credential, credential, bare],
    [Credential, bare, bare],
    [Heir, { ...credential, password: 'secret' }, { ...bare, password: null }],
    [One, { credential }, { credential: bare }],
    [One, { credential: null }, { credential: null }],
    [Many, { ones: [{ credential }, { credential: null }] }, { ones: [{ credential: bare }, { credential: null }] }],
    [
      Mapped,
      { byName: { toString: { ones: [{ credential }] } } },
      { byName: { toString: { ones: [{ credential: bare }] } } },
    ],
  ])('of %p is told without them, however deep they are, and otherwise as it is', (shape, whole, redacted) => {
    expect(JSON.stringify(redactionOf(shape)?.(whole))).toBe(JSON.stringify(redacted));
    expect(JSON.stringify(redactionOf(shape)?.([whole, whole]))).toBe(JSON.stringify([redacted, redacted]));
  });

  it('keeps them where it is told whole', () => {
    const whole = { credential: { ...credential } };
    redactionOf(One)?.(whole);
    expect(whole).toEqual({ credential });
  });

  it('is not told without one that may not be null', () => {
    expect(() => redactionOf(Minted)?.({ key: 'secret' })).toThrow('Minted.key');
  });
});

describe('an answer that holds none', () => {
  it.each([Plain, Harmless, String])('of %p needs no redaction', (shape) => {
    expect(redactionOf(shape)).toBeUndefined();
  });

  it('stays without any when an heir of it has some', () => expect(redactionOf(Plain)).toBeUndefined());
});
