import { describe, expect, it } from '@jest/globals';
import { openResponse, sealResponse } from './sealed-response.js';

const body = { id: 'a', worker_token: 'the secret', nested: [null, { x: 'ü' }] };

describe('a sealed response', () => {
  it('is opened unchanged with the API key that sealed it', () => {
    const sealed = sealResponse(body, 'key one', 'here');
    expect(JSON.stringify(openResponse(sealed, 'key one', 'here')?.body)).toBe(JSON.stringify(body));
  });

  it('cannot be opened with another key or for another request', () => {
    const sealed = sealResponse(body, 'key one', 'here');
    expect(openResponse(sealed, 'key two', 'here')).toBeUndefined();
    expect(openResponse(sealed, 'key one', 'there')).toBeUndefined();
  });

  it('cannot be opened if one of its bytes was changed', () => {
    const sealed = sealResponse(body, 'key one', 'here');
    for (let index = 0; index < sealed.length; index += 1) {
      const forged = Buffer.from(sealed);
      forged.writeUInt8(forged.readUInt8(index) ^ 1, index);
      expect(openResponse(forged, 'key one', 'here')).toBeUndefined();
    }
  });

  it('reveals neither its content nor that two contents are equal', () => {
    const sealed = sealResponse(body, 'key one', 'here');
    expect(sealed.toString('latin1')).not.toContain('secret');
    expect(sealResponse(body, 'key one', 'here').equals(sealed)).toBe(false);
  });
});
