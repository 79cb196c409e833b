import { describe, expect, it } from '@jest/globals';
import { openAnswer, sealAnswer } from './sealed-answer.js';

const body = { id: 'a', worker_token: 'the secret', nested: [null, { x: 'ü' }] };

describe('a sealed answer', () => {
  it('is told to the API key it was sealed by, exactly as it was', () => {
    const sealed = sealAnswer(body, 'key one', 'here');
    expect(JSON.stringify(openAnswer(sealed, 'key one', 'here')?.body)).toBe(JSON.stringify(body));
  });

  it('is told to no other key, and kept for no other place', () => {
    const sealed = sealAnswer(body, 'key one', 'here');
    expect(openAnswer(sealed, 'key two', 'here')).toBeUndefined();
    expect(openAnswer(sealed, 'key one', 'there')).toBeUndefined();
  });

  it('is not told when a byte of it was changed', () => {
    const sealed = sealAnswer(body, 'key one', 'here');
    for (let index = 0; index < sealed.length; index += 1) {
      const forged = Buffer.from(sealed);
      forged.writeUInt8(forged.readUInt8(index) ^ 1, index);
      expect(openAnswer(forged, 'key one', 'here')).toBeUndefined();
    }
  });

  it('shows nothing of what is in it, nor that the same is in it again', () => {
    const sealed = sealAnswer(body, 'key one', 'here');
    expect(sealed.toString('latin1')).not.toContain('secret');
    expect(sealAnswer(body, 'key one', 'here').equals(sealed)).toBe(false);
  });
});
