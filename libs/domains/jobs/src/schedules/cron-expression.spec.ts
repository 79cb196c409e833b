import { describe, expect, it } from '@jest/globals';
import { cronFault, cronTimes } from './cron-expression.js';

describe('cronFault', () => {
  it.each([
    '* * * * *',
    '*/5 0-6,12 1,15 JAN-MAR MON-FRI',
    '30 */10 * * * *',
    '0 0 29 2 *',
    ' 0  9 * * 7 ',
    '0 0 L * *',
    '0 0 * * 0,7',
    '0,*/15 * * * *',
    '1,1-3 * * * *',
    '0 0 1 JAN,1 *',
    '0 0 L,L * *',
    '@daily',
    ' @HOURLY ',
  ])('accepts %j', (text) => expect(cronFault(text)).toBeUndefined());

  it.each([
    ['', 'it has 0 fields'],
    ['soon', 'it has 1 fields'],
    ['* * * *', 'it has 4 fields'],
    ['* * * * * * *', 'it has 7 fields'],
    ['@reboot', 'the shorthands are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    ['@daily 1', 'the shorthands are @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    ['60 * * * *', 'Constraint error, got value 60 expected range 0-59'],
    ['0,60,0 * * * *', 'Constraint error, got value 60 expected range 0-59'],
    ['* 24 * * *', 'Constraint error, got value 24 expected range 0-23'],
    ['0 0 30 2 *', 'Invalid explicit day of month definition'],
    ['0 0 31 4,6,4 *', 'Invalid explicit day of month definition'],
    ['0 0 */31 * 1#2', 'no date matches'],
    ['*/0 * * * *', 'Constraint error, cannot repeat at every 0 time.'],
    ['5-1 * * * *', 'Invalid range: 5-1, min(5) > max(1)'],
    ['0 0 * * 8', 'Constraint error, got value 8 expected range 0-7'],
    ['0 0 * * 1#1,3#2', 'Constraint error, invalid dayOfWeek `#` and `,` special characters are incompatible'],
    ['1,,1 * * * *', 'Invalid list value format'],
    [`${'0,'.repeat(600)}0 * * * *`, 'Invalid cron expression, too long, expected at most 1024 characters'],
    ['H * * * *', 'H is not supported, because it stands for a random value'],
    ['0 H(0-7) * * *', 'H is not supported, because it stands for a random value'],
  ])('returns the reason why %j is rejected', (text, reason) => expect(cronFault(text)).toBe(reason));
});

describe('cronTimes', () => {
  const dates = (text: string, after: string, count = 4): string[] => {
    const found: string[] = [];
    for (const time of cronTimes(text, Date.parse(after))) {
      if (found.push(new Date(time).toISOString().slice(0, 16)) === count) break;
    }
    return found;
  };

  it.each([
    ['0 0 * * 0,7', '0 0 * * 0'],
    ['0 0 * * 5-7,0', '0 0 * * 5,6,0'],
    ['0,*/15 * * * *', '*/15 * * * *'],
    ['1,1-3,02 * * * *', '1-3 * * * *'],
    ['0 0 1 JAN,1,feb-mar,2 *', '0 0 1 1-3 *'],
    ['0 0 L,L,1,1 * *', '0 0 1,L * *'],
    ['0 9 *,1 * 1', '0 9 * * 1'],
    ['0 9 *,* * 1', '0 9 * * 1'],
  ])('match %j like %j, without the repeated values', (repeated, once) => {
    expect(dates(repeated, '2026-01-01T00:00:00Z', 20)).toEqual(dates(once, '2026-01-01T00:00:00Z', 20));
  });

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    [' @Midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
  ])('match %j like %j', (shorthand, fields) => {
    expect(dates(shorthand, '2026-01-01T12:34:56Z', 20)).toEqual(dates(fields, '2026-01-01T12:34:56Z', 20));
  });

  it('match either day field if both are restricted, and both if one of them begins with *', () => {
    const after = '2026-06-01T12:00:00Z';
    expect(dates('0 9 13 * 5', after)).toEqual(['2026-06-05', '2026-06-12', '2026-06-13', '2026-06-19'].map(at9));
    expect(dates('0 9 1-31 * 1', after)).toEqual(['2026-06-02', '2026-06-03', '2026-06-04', '2026-06-05'].map(at9));
    expect(dates('0 9 */1 * 1', after)).toEqual(['2026-06-08', '2026-06-15', '2026-06-22', '2026-06-29'].map(at9));
    expect(dates('0 9 */2 * 1', after)).toEqual(['2026-06-15', '2026-06-29', '2026-07-13', '2026-07-27'].map(at9));
    expect(dates('0 9 13 * */5', after)).toEqual(['2026-09-13', '2026-11-13', '2026-12-13', '2027-06-13'].map(at9));
    expect(dates('0 0 29 2 */7', '2026-01-01T00:00:00Z', 2)).toEqual(['2032-02-29T00:00', '2060-02-29T00:00']);
    expect(dates('* * * */31 * 1', '1960-01-01T00:00:00Z', 1)).toEqual(['1960-02-01T00:00']);
  });

  const at9 = (date: string): string => `${date}T09:00`;
});
