import { describe, expect, it } from '@jest/globals';
import { holdsSecrets, OutMany, OutMap, OutOne, OutString } from './response-fields.js';

class Plain {
  @OutString()
  readonly name!: string;
}

class Credential extends Plain {
  @OutString({ secret: true, nullable: true })
  readonly token!: string | null;
}

class Heir extends Credential {}

class One {
  @OutOne(Credential)
  readonly credential!: Credential;
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

describe('an answer', () => {
  it.each([Credential, Heir, One, Many, Mapped])('of %p holds secrets, however deep they are', (shape) => {
    expect(holdsSecrets(shape)).toBe(true);
  });

  it.each([Plain, Harmless, String])('of %p holds none', (shape) => expect(holdsSecrets(shape)).toBe(false));
});
