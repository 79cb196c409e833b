import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { addUserKeyScheme } from './docs-page.js';

describe('the documentation page', () => {
  it.each([
    [{ Authorization: ' ak_1 ' }, { Authorization: 'UserKey ak_1' }],
    [{ Authorization: 'UserKey ak_1' }, { Authorization: 'UserKey ak_1' }],
    [{ Accept: '*/*' }, { Accept: '*/*' }],
  ])('sends %j as %j', (headers, sent) => {
    // Evaluates the text of the function, which is all that the page contains of it.
    const inPage = runInNewContext(`(${addUserKeyScheme.toString()})`) as typeof addUserKeyScheme;
    expect(inPage({ headers }).headers).toEqual(sent);
  });
});
