import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@app/kernel';
import { HttpException } from '@nestjs/common';
import { describeError } from './describe-error.js';

describe('describing an error', () => {
  it('lays a value too long for an index at the door of the request, not at ours', () => {
    const refused = Object.assign(new Error('index row size 9032 exceeds btree version 4 maximum 2704'), {
      code: '54000',
    });
    for (const error of [refused, Object.assign(new Error('query failed'), { driverError: refused })]) {
      const { status, faults, unexpected } = describeError(error);
      expect([status, unexpected]).toEqual([422, false]);
      expect(faults).toEqual([{ loc: ['body'], msg: expect.not.stringContaining('btree'), type: 'string_too_long' }]);
    }
  });

  it('asks for another try where a store is away, whether its driver says so or we noticed it', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    for (const error of [
      refused,
      cancelled,
      unavailable('message_store_away', 'The message store can not be reached'),
    ]) {
      const again = { status: 503, headers: { 'Retry-After': '1' }, unexpected: false };
      expect(describeError(error)).toMatchObject(again);
    }
  });

  it.each([
    ['53100', 'could not extend file "base/1/2": No space left on device'],
    ['53200', 'out of memory'],
    ['53300', 'sorry, too many clients already'],
    [undefined, "OOM command not allowed when used memory > 'maxmemory'."],
    [undefined, "-OOM command not allowed when used memory > 'maxmemory'. script: 1a, on @user_script:3."],
    [undefined, 'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.'],
  ])('asks for another try where a store is full (%s %s)', (code, message) => {
    const full = Object.assign(new Error(message), code === undefined ? {} : { code });
    for (const error of [full, Object.assign(new Error('query failed'), { driverError: full })]) {
      const again = { status: 503, headers: { 'Retry-After': '1' }, unexpected: false };
      expect(describeError(error)).toMatchObject(again);
    }
  });

  it('takes no other error for a full store because of a word in it', () => {
    expect(describeError(new Error('no such room: OOM 5'))).toMatchObject({ status: 500 });
  });

  it('keeps the words of the body reader to itself', () => {
    expect(describeError(new HttpException('request entity too large', 413)).message).toBe('The body is too large');
    expect(describeError(new HttpException('incorrect header check', 400)).message).toBe('Bad request');
  });

  it('tells nothing of an error that was not foreseen', () => {
    expect(describeError(new Error('secret'))).toMatchObject({
      status: 500,
      unexpected: true,
      message: 'Internal server error',
    });
  });
});
