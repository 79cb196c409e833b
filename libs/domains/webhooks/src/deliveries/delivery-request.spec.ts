import { describe, expect, it } from '@jest/globals';
import type { LoggedEvent } from '@app/events';
import type { Webhook } from '../webhook.types.js';
import { headersOf, isFollowed, isSourceFollowed } from './delivery-request.js';

const activeSince = new Date('2026-01-01T00:00:00Z');
const webhook: Webhook = {
  id: 'w',
  organization_id: 'o',
  url: 'https://example.com/',
  events: [],
  job_ids: [],
  agent_ids: [],
  description: null,
  status: 'active',
  disabled_reason: null,
  active_since: activeSince,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previous_secret: null,
  previous_secret_expires_at: null,
  created_by: null,
  created_at: activeSince,
  updated_at: activeSince,
};
const event: LoggedEvent = { id: 'e_1_1', type: 'done', data: {}, timestamp: '', json: '{}', logged_at: activeSince };
const source = { organization_id: 'o', execution_id: 'e', job_id: 'job_1', entity_type: 'agent', entity_id: 'a' };

describe('the headers of a delivery', () => {
  // The example of the Standard Webhooks specification.
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const sentAt = new Date(1_614_265_330_000);
  const body = '{"test": 2432232314}';
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

  it('sign id, time and body as specified by Standard Webhooks 1.0', () => {
    expect(headersOf(webhook, id, body, sentAt)).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('have a signature per secret until the previous one expires', () => {
    const previous = {
      ...webhook,
      secret: 'whsec_bmV3LXNlY3JldC1vZi10aGUtd2ViaG9vay0wMDAwMDA=',
      previous_secret: webhook.secret,
    };
    const during = headersOf(
      { ...previous, previous_secret_expires_at: new Date(sentAt.getTime() + 1) },
      id,
      body,
      sentAt,
    );
    expect(during['webhook-signature']?.split(' ')).toEqual([expect.stringMatching(/^v1,/), signature]);
    const after = headersOf({ ...previous, previous_secret_expires_at: sentAt }, id, body, sentAt);
    expect(after['webhook-signature']).toBe(during['webhook-signature']?.split(' ')[0]);
  });
});

describe('a webhook', () => {
  it.each([
    ['follows an event if it has no filter', {}, true],
    ['follows an event of one of its types', { events: ['error', 'done'] }, true],
    ['follows an event of any type if its types include `*`', { events: ['*'] }, true],
    ['does not follow an event of another type', { events: ['error'] }, false],
    ['follows an event of one of its jobs', { job_ids: ['job_1'] }, true],
    ['does not follow an event of another job', { job_ids: ['job_2'] }, false],
    ['follows an event of one of its agents', { agent_ids: ['b', 'a'] }, true],
    ['does not follow an event of another agent', { agent_ids: ['b'] }, false],
    ['does not follow an event of its agent but of another job', { agent_ids: ['a'], job_ids: ['job_2'] }, false],
    [
      'does not follow an event from before it became active',
      { active_since: new Date(activeSince.getTime() + 1) },
      false,
    ],
  ])('%s', (_title, fields, followed) => {
    const follower = { ...webhook, ...fields };
    expect(isFollowed(follower, event) && isSourceFollowed(follower, source)).toBe(followed);
  });

  it('follows no team with the id of one of its agents and, if it has jobs, no execution without a job', () => {
    const follower = { ...webhook, agent_ids: ['a'] };
    expect(isSourceFollowed(follower, { ...source, entity_type: 'team' })).toBe(false);
    expect(isSourceFollowed({ ...webhook, job_ids: ['job_1'] }, { ...source, job_id: null })).toBe(false);
  });
});
