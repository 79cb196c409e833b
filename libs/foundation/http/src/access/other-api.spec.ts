import { describe, expect, it } from '@jest/globals';
import { findRouteOf, nameOf, type OtherApi } from './other-api.js';

const other: OtherApi = {
  name: 'the control plane',
  scheme: 'Bearer',
  url: () => null,
  routes: ['GET /api/v1/jobs/mine', 'GET /api/v1/jobs/{job_id}', 'POST /api/v1/jobs', 'GET /api/openapi.yaml'],
};

describe('the route of another API that a request matches', () => {
  it.each([
    ['GET', '/api/v1/jobs/1', 'GET /api/v1/jobs/{job_id}'],
    ['HEAD', '/api/v1/jobs/1?a=b/c', 'GET /api/v1/jobs/{job_id}'],
    ['GET', '/api/v1/jobs/mine/', 'GET /api/v1/jobs/mine'],
    ['POST', '/api/v1/jobs', 'POST /api/v1/jobs'],
    ['GET', '/api/v1/jobs', undefined],
    ['DELETE', '/api/v1/jobs/1', undefined],
    ['GET', '/api/v1/jobs/1/2', undefined],
    ['GET', '/prefix/api/v1/jobs/1', undefined],
    ['GET', '/api/openapi-yaml', undefined],
    ['', '', undefined],
  ])('for %j %j is %j', (method, url, route) => {
    expect(findRouteOf(other)({ method, url })).toBe(route);
  });
});

describe('the name of another API', () => {
  it('contains its address if it is known', () => {
    expect([nameOf(other), nameOf({ ...other, url: () => 'https://cp.example' })]).toEqual([
      'the control plane',
      'the control plane at https://cp.example',
    ]);
  });
});
