import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { Public } from '../routes/access.js';
import type { AuditedRoute } from '../routes/route-audit.js';
import { FastLane } from './fast-lane.js';
import { HotRoute } from './fast-route.js';

@Controller('things')
class Things {
  @Post()
  @HotRoute()
  @Public()
  act(): unknown {
    throw new Error('no thing acts');
  }
}

describe('the fast lane', () => {
  let server: Server;
  let url: string;

  beforeEach(async () => {
    const instance = new Things();
    const handler: AuditedRoute['handler'] = Object.getOwnPropertyDescriptor(Things.prototype, 'act')?.value;
    const route = { controller: Things, instance, methodName: 'act', handler, httpMethod: 'POST' };
    const lane = new FastLane([route], {
      authorize: () => Promise.resolve(undefined),
      crossOrigin: (_request, _response, next) => next(),
      wording: {
        challenge: 'Bearer',
        body: () => {
          throw new RangeError('Invalid string length');
        },
      },
    });
    server = createServer((request, response) => void lane.take(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`;
  });
  afterEach(() => void server.close());

  it('breaks the connection of a request that can not even be refused, and lives on', async () => {
    for (const method of ['POST', 'POST']) await expect(fetch(url, { method })).rejects.toThrow('fetch failed');
  });
});
