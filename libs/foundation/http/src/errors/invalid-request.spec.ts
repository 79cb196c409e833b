import { describe, expect, it } from '@jest/globals';
import { MAX_FAULTS, type Fault } from '@app/kernel';
import { declarePlace, InvalidRequest, locateFaults } from './invalid-request.js';

const fault = (...path: string[]): Fault => ({ path, msg: 'Wrong', type: 'value_error' });

describe('the location of a fault of a command', () => {
  declarePlace('a_token', 'header', 'X-A-Token');

  it.each([
    ['POST', fault('scopes', '1'), ['body', 'scopes', '1']],
    ['PATCH', fault('policy_content'), ['body', 'policy_content']],
    ['PUT', fault('policy_content'), ['body', 'policy_content']],
    ['DELETE', fault('messages'), ['body', 'messages']],
    ['POST', fault(), ['body']],
    ['GET', fault('limit'), ['query', 'limit']],
    ['HEAD', fault('limit'), ['query', 'limit']],
    ['POST', fault('a_token'), ['header', 'X-A-Token']],
    ['GET', { ...fault('entity_type'), place: 'path' as const }, ['path', 'entity_type']],
    ['POST', fault('constructor'), ['body', 'constructor']],
    ['POST', fault('parameters', 'a_token'), ['body', 'parameters', 'a_token']],
  ])('in a %s request is, for the path %j, %j', (method, relative, loc) => {
    expect(locateFaults([relative], method)).toEqual([{ loc, msg: 'Wrong', type: 'value_error' }]);
  });
});

describe('an invalid request', () => {
  it('reports a bounded number of faults', () => {
    const many = locateFaults(
      Array.from({ length: MAX_FAULTS + 1 }, () => fault('name')),
      'POST',
    );
    expect(new InvalidRequest(many).faults).toHaveLength(MAX_FAULTS);
  });
});
