import { describe, expect, it } from '@jest/globals';
import { reachableUrl } from './reachable-url.js';

describe('reachableUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['platform.internal', 'http://platform.internal:3000'],
    ['::1', 'http://[::1]:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://127.0.0.1:3000'],
  ])('of a server that listens on %s is %s', (host, url) => {
    expect(reachableUrl(host, 3000)).toBe(url);
    expect(URL.canParse(url)).toBe(true);
  });
});
