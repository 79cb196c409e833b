import { describe, expect, it } from '@jest/globals';
import { added, NOTHING_DONE, outcomeText } from './bulk-outcome';

const accepted = { execution_id: 'a', ok: true, status: 200, detail: null, new_execution_id: 'b' };
const refused = { ...accepted, ok: false, status: 409, detail: 'It is running', new_execution_id: null };

describe('the outcome of a bulk action', () => {
  it('counts what was accepted over several requests', () => {
    const outcome = added(added(NOTHING_DONE, [accepted, accepted]), [accepted]);
    expect(outcomeText(outcome)).toBe('3 done');
  });

  it('says each reason of refusals once', () => {
    const outcome = added(added(NOTHING_DONE, [accepted, refused, refused]), [refused, { ...refused, detail: null }]);
    expect(outcomeText(outcome)).toBe('1 done, 4 refused: It is running; unknown');
  });

  it('says of how many while there are more', () => {
    const outcome = added(NOTHING_DONE, [accepted, refused]);
    expect(outcomeText(NOTHING_DONE, '300')).toBe('0 of 300 done');
    expect(outcomeText(outcome, 'more than 10,000')).toBe('1 of more than 10,000 done, 1 refused: It is running');
  });
});
