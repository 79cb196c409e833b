import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findLeakedSecrets } from './leaked-secrets.js';

const KEY = 'ak_0123456789abcdefghij';
const SECRET = 'whsec_c2VjcmV0IG9mIGEgam9i+x/y==';

describe('findLeakedSecrets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-'));
    writeFileSync(join(folder, '1.secrets'), `${JSON.stringify(KEY)}\n${JSON.stringify('short')}\n`);
    writeFileSync(join(folder, '2.secrets'), `${JSON.stringify(SECRET)}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const linesWith = (text: string): string[] => {
    writeFileSync(join(folder, '1-1.output'), `first line\n${text}\nlast short line\n`);
    return findLeakedSecrets(folder).map(({ line }) => line);
  };

  it('returns nothing of output without secrets', () => {
    expect(linesWith('{"msg":"request","path":"/api/v1/jobs"}')).toEqual([]);
  });

  it.each([
    ['as a value', `{"parameters":["${KEY}"]}`],
    ['in a path', `POST /api/v1/jobs/webhook/${KEY} 200`],
    ['after an escaped line break', `{"message":"failed:\\n${KEY}"}`],
    ['in JSON within JSON', `{"detail":"{\\"key\\":\\"${KEY}\\"}"}`],
    ['with characters that are not part of words', `Key (webhook_secret)=(${SECRET}) exists`],
  ])('returns the line that contains a secret %s', (_where, line) => {
    expect(linesWith(line)).toEqual([line]);
  });

  it('returns nothing without a record', () => {
    expect(findLeakedSecrets(join(folder, 'missing'))).toEqual([]);
  });
});
