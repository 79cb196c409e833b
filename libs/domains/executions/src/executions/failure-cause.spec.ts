import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failureCause, failureKind, failureTitle, type FailureKind } from './failure-cause.js';

describe('failureTitle', () => {
  it.each([
    ['The worker stopped responding (attempt 2 of 3)', 'The worker stopped responding (attempt # of #)'],
    ['Denied by policy "guard" (version 12): not Write', 'Denied by policy {text} (version #): not Write'],
    ['connect ECONNREFUSED 10.0.0.1:5432', 'connect ECONNREFUSED #'],
    ['GET https://example.com/a?b=1 failed', 'GET {url} failed'],
    ["ENOENT: open '/tmp/a b.txt'", 'ENOENT: open {text}'],
    ['cannot read /var/lib/x/y.json: denied', 'cannot read {path}: denied'],
    ['cannot read C:\\Users\\Ada\\y.json', 'cannot read {path}'],
    ['The agent 01890a5d-ac96-774b-bcce-b302099a8057 no longer exists', 'The agent # no longer exists'],
    ['mail to ada.lovelace@example.org bounced', 'mail to # bounced'],
    ["It can't and/or won't run", "It can't and/or won't run"],
    ['\n \nSecond line is the first\nthird', 'Second line is the first'],
    [null, 'No error message'],
    ['  \n ', 'No error message'],
  ])('of %j is %j', (message, title) => {
    expect(failureTitle(message)).toBe(title);
  });
});

describe('failureKind', () => {
  it.each<[FailureKind, string]>([
    ['policy', 'Denied by policy "guard" (version 1): b; a'],
    ['policy', 'Denied: More policies apply than can be evaluated together: at most 50'],
    ['worker_lost', 'The worker stopped responding (attempt 3 of 3)'],
    ['worker_lost', 'The worker crashed (attempt 3 of 3)'],
    ['configuration', 'The worker queue 0189 no longer exists'],
    ['configuration', 'No model is configured: the agent has none and DEFAULT_MODEL is not set on the platform'],
    ['configuration', 'The MCP server files has neither a url nor a command'],
    ['configuration', 'Agent not found'],
    ['model', 'The model gateway responded with 500: overloaded'],
    ['tool', 'The MCP server files cannot be used: Request timed out after 15000ms'],
    ['timeout', 'The run exceeded its time limit of 3600 s'],
    ['timeout', 'Request timed out'],
    ['other', 'The agent did not finish within 20 steps'],
    ['other', ''],
  ])('%s: %s', (kind, message) => {
    expect(failureKind(message)).toBe(kind);
  });
});

describe('failureCause', () => {
  const parameter = fc.oneof(
    fc.uuid(),
    fc.nat().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e6 }).map((value) => value.toFixed(3)),
    fc.stringMatching(/^[a-f0-9]{8,40}$/).map((hex) => `${hex}0`),
    fc.stringMatching(/^[A-Za-z0-9]{20}$/).map((id) => `job_7${id}`),
    fc.webUrl(),
    fc.stringMatching(/^[^"\n\r\u2028\u2029]{0,30}$/).map((text) => `"${text}"`),
    fc.stringMatching(/^(\/[a-z0-9.]{1,8}){1,5}$/),
  );
  const kindOf = (value: string): string => failureTitle(`x ${value} y`);

  it('is 16 hexadecimal digits for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 5000 })), (text) => {
        expect(failureCause(text)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
  });

  it('does not depend on the values of ids, numbers, quoted text, URLs and paths', () => {
    fc.assert(
      fc.property(parameter, parameter, (one, other) => {
        fc.pre(kindOf(one) === kindOf(other));
        expect(failureCause(`Cannot reach ${one} now`)).toBe(failureCause(`Cannot reach ${other} now`));
      }),
    );
    fc.assert(
      fc.property(parameter, (value) => {
        expect(['#', '{url}', '{text}', '{path}']).toContain(kindOf(value).slice(2, -2));
      }),
    );
  });

  it('depends on the first line only, not on case and spacing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,10}( [a-z]{1,10}){0,5}$/), fc.string(), (line, rest) => {
        expect(failureCause(`${line}\n${rest}`)).toBe(failureCause(line));
        expect(failureCause(` ${line.toUpperCase().replaceAll(' ', '  ')} `)).toBe(failureCause(line));
      }),
    );
  });

  it('distinguishes different words', () => {
    const words = fc.stringMatching(/^[a-z]{3,10}( [a-z]{3,10}){0,3}$/);
    fc.assert(
      fc.property(words, words, (one, other) => (failureCause(one) === failureCause(other)) === (one === other)),
    );
  });

  it('is the same for an error message and for its title', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(parameter, fc.stringMatching(/^[a-z]{1,8}$/))), (words) => {
        const text = words.join(' ');
        expect(failureCause(failureTitle(text))).toBe(failureCause(text));
        expect(failureKind(failureTitle(text))).toBe(failureKind(text));
      }),
    );
  });

  it('takes linear time for malicious text', () => {
    const hostile = ['a', '"', "'", 'a:', '/', './', 'a@', '#.', '-', '0', '\\', ' ', '“', '\u0000'];
    for (const unit of hostile) {
      // CPU time, because other processes take time of the machine as well.
      const before = process.cpuUsage();
      failureCause(unit.repeat(500_000 / unit.length));
      expect(process.cpuUsage(before).user).toBeLessThan(500_000);
    }
  });
});
