import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Injectable, Post, Scope } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { Public } from '../access/access.js';
import type { AuditedRoute } from '../access/route-audit.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { FastPath, type FastPathParts } from './fast-path.js';
import { HotRoute } from './fast-route.js';

@Controller('things')
class Things {
  @Post()
  @HotRoute()
  @Public()
  act(): unknown {
    throw new Error('the handler failed');
  }
}

const crossOrigin: FastPathParts['crossOrigin'] = (_request, _response, next) => next();

describe('the fast path', () => {
  let server: Server;
  let url: string;

  beforeEach(async () => {
    const instance = new Things();
    const handler: AuditedRoute['handler'] = Object.getOwnPropertyDescriptor(Things.prototype, 'act')?.value;
    const route = { controller: Things, instance, methodName: 'act', handler, httpMethod: 'POST' };
    const config = new ApplicationConfig();
    const body = (): never => {
      throw new RangeError('Invalid string length');
    };
    config.addGlobalFilter(new ErrorFilter({ body, challenge: 'Bearer' }));
    const path = new FastPath([route], { config, crossOrigin });
    server = createServer((request, response) => void path.take(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`;
  });
  afterEach(() => void server.close());

  it('closes the connection of a request whose error cannot be sent, and serves the next one', async () => {
    for (const method of ['POST', 'POST']) await expect(fetch(url, { method })).rejects.toThrow('fetch failed');
  });

  it('does not serve a request that an earlier route matches as well', () => {
    @Controller('things')
    class Ordered {
      @Post('latest')
      @Public()
      latest(): void {}

      @Post(':id')
      @HotRoute()
      @Public()
      one(): void {}
    }
    const [latest, one] = (['latest', 'one'] as const).map((methodName): AuditedRoute => {
      const handler: AuditedRoute['handler'] = Object.getOwnPropertyDescriptor(Ordered.prototype, methodName)?.value;
      return { controller: Ordered, instance: new Ordered(), methodName, handler, httpMethod: 'POST' };
    });
    const takes = (routes: readonly (AuditedRoute | undefined)[], sent: string): boolean => {
      const parts: FastPathParts = { config: new ApplicationConfig(), crossOrigin: () => undefined };
      const fastPath = new FastPath(
        routes.filter((route) => route !== undefined),
        parts,
      );
      const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: sent });
      return fastPath.take(request, new ServerResponse(request));
    };
    expect(takes([latest, one], '/things/latest')).toBe(false);
    expect(takes([latest, one], '/things/LATEST')).toBe(false);
    expect(takes([latest, one], '/things/1')).toBe(true);
    expect(takes([one, latest], '/things/latest')).toBe(true);
  });

  it('does not start with a request-scoped guard, which it would skip', () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      canActivate(): boolean {
        return true;
      }
    }
    const config = new ApplicationConfig();
    config.addGlobalRequestGuard(new InstanceWrapper({ name: 'PerRequest', metatype: PerRequest }));
    expect(() => new FastPath([], { config, crossOrigin })).toThrow('cannot be request-scoped: PerRequest');
  });
});
