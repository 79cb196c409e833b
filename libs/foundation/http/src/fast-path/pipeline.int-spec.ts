import { AsyncLocalStorage } from 'node:async_hooks';
import { ClockModule } from '@app/clock';
import { RedisModule } from '@app/redis';
import { DatabaseModule } from '@app/database';
import { DomainError, type Caller } from '@app/kernel';
import { createTestDatabase, testCaller, testRedisUrl, type TestDatabase } from '@app/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  ConflictException,
  Controller,
  HttpException,
  Injectable,
  Module,
  Param,
  Post,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { Request, Response } from 'express';
import { catchError, map, of, throwError, type Observable } from 'rxjs';
import { HttpModule } from '../http.module.js';
import { RequireScope } from '../access/access.js';
import { CurrentCaller } from '../access/caller.decorators.js';
import type { WireRequest } from '../wire/wire-request.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { KeyGuard, type KeyAuthority } from '../access/key.guard.js';
import { Returns } from '../routes/returns.js';
import { Summary } from '../routes/summary.js';
import { StringField } from '../fields/fields.js';
import { ResponseObject, ResponseString } from '../fields/response-fields.js';
import { HotRoute } from './fast-route.js';
import { createServer } from '../server/start-server.js';

class ActRequest {
  @StringField()
  readonly text!: string;
}

class ActResponse {
  @ResponseObject()
  readonly seen!: object;
}

class SecretResponse {
  @ResponseString({ secret: true, nullable: true })
  readonly secret!: string | null;
}

let secrets = 0;

const trace = new AsyncLocalStorage<string>();

function act(caller: Caller, id: string, { text }: ActRequest): ActResponse {
  if (text === 'conflict') throw new ConflictException('no');
  return { seen: { key: caller.keyName, id, text, trace: trace.getStore() ?? null } };
}

/** The same handler with and without `@HotRoute()`. */
@Controller()
class Things {
  @Post('hot/:id')
  @HotRoute()
  @Summary('Acts on the fast path.')
  @RequireScope('tasks:execute')
  @Returns(ActResponse)
  hot(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() body: ActRequest): ActResponse {
    return act(caller, id, body);
  }

  @Post('ordinary/:id')
  @Summary('Acts on the ordinary path.')
  @RequireScope('tasks:execute')
  @Returns(ActResponse)
  ordinary(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() body: ActRequest): ActResponse {
    return act(caller, id, body);
  }

  @Post('secret/:id')
  @Idempotent()
  @Summary('Creates a secret.')
  @RequireScope('tasks:execute')
  @Returns(SecretResponse)
  secret(): SecretResponse {
    return { secret: `secret ${(secrets += 1)}` };
  }
}

const owner: Caller = { ...testCaller(), keyName: 'good', scopes: ['tasks:execute'] };
const keys: KeyAuthority = {
  authenticate: (key) =>
    key === 'good' ? Promise.resolve(owner) : Promise.reject(new DomainError('key_missing', 'no key')),
  whenEnded: () => () => undefined,
};

@Injectable()
class TestKeyGuard extends KeyGuard {
  protected override readonly keys = keys;
  protected override readonly schemes = ['Bearer', 'OwnScheme'];
}

/** A minimal throttler: counts requests by key, sets a header as Nest's own does, and rejects every third request. */
@Injectable()
class CountingGuard implements CanActivate {
  static readonly counted: (string | undefined)[] = [];

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & WireRequest>();
    CountingGuard.counted.push(request.caller?.keyName);
    http.getResponse<Response>().header('X-Counted-By', `${context.getClass().name} ${String(request.ip)}`);
    if (CountingGuard.counted.length % 3 === 0) throw new HttpException('Slow down', 429);
    return request.headers['x-refuse'] === undefined;
  }
}

/** Opens an async context around the rest of the pipeline, and changes results and errors through rxjs. */
@Injectable()
class TracingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const header = context.switchToHttp().getRequest<Request>().headers['x-trace'];
    if (header === undefined) return next.handle();
    if (header === 'cached') return of({ cached: true });
    return trace
      .run(String(header), () => next.handle())
      .pipe(
        map((result) => ({ traced: result })),
        catchError((error: Error) => throwError(() => new HttpException(`traced: ${error.message}`, 409))),
      );
  }
}

@Injectable()
class SlowPipe implements PipeTransform {
  async transform(value: unknown, { type }: { type: string }): Promise<unknown> {
    return Promise.resolve(type === 'param' ? `piped ${String(value)}` : value);
  }
}

const pipeline = HttpModule.forApi({
  imports: [],
  guards: [TestKeyGuard, CountingGuard],
  errorFormat: { body: ({ message, faults }) => ({ message, faults }), challenge: 'Bearer' },
});

@Module({
  imports: [ClockModule, DatabaseModule, RedisModule, pipeline],
  controllers: [Things],
  providers: [
    { provide: APP_INTERCEPTOR, useClass: TracingInterceptor },
    { provide: APP_PIPE, useClass: SlowPipe },
  ],
})
class TestModule {}

describe('the request pipeline', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    Object.assign(process.env, { DATABASE_URL: database.url, REDIS_URL: testRedisUrl(), MIGRATE_ON_START: 'false' });
    const errorSchemas = { plain: { type: 'object' }, validation: { type: 'object' } };
    const api = {
      title: 'Things',
      description: '',
      keyScheme: 'bearer' as const,

      errorSchemas,
    };
    app = await createServer({ module: TestModule, api });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });
  beforeEach(() => void CountingGuard.counted.splice(0));

  async function send(path: string, headers: Record<string, string>, body: unknown = { text: 'x' }): Promise<unknown> {
    const response = await fetch(`${url}/${path}/one`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer good', ...headers },
      body: JSON.stringify(body),
    });
    const [by, code] = ['X-Counted-By', 'X-Error-Code'].map((name) => response.headers.get(name));
    return { status: response.status, by, code, body: await response.json() };
  }

  it('seals the response of an idempotent route with the key that the guard accepted, under any of its schemes', async () => {
    const headers = { Authorization: 'OwnScheme good', 'Idempotency-Key': 'k' };
    const first = await send('secret', headers);
    expect(first).toMatchObject({ status: 200, body: { secret: 'secret 1' } });
    expect(await send('secret', headers)).toEqual(first);
  });

  describe.each(['hot', 'ordinary'])('of a route on the %s path', (path) => {
    const by = 'Things 127.0.0.1';

    it('runs an added guard after authentication, with all members of Express requests and responses', async () => {
      const body = { seen: { key: 'good', id: 'piped one', text: 'x', trace: null } };
      expect(await send(path, {})).toEqual({ status: 200, by, code: null, body });
      expect(CountingGuard.counted).toEqual(['good']);
    });

    it('does not run the added guard for an unauthenticated request', async () => {
      expect(await send(path, { Authorization: 'Bearer bad' })).toMatchObject({
        status: 401,
        by: null,
        code: 'key_missing',
      });
      expect(CountingGuard.counted).toEqual([]);
    });

    it('ends if the guard throws or returns false', async () => {
      await send(path, {});
      expect(await send(path, { 'X-Refuse': 'yes' })).toMatchObject({
        status: 403,
        code: 'forbidden',
        body: { message: 'Forbidden resource' },
      });
      expect(await send(path, {})).toMatchObject({
        ...{ status: 429, code: 'rate_limited', by },
        body: { message: 'Slow down' },
      });
    });

    it('runs an interceptor that changes the result, in whose async context the handler runs', async () => {
      const traced = { seen: { key: 'good', id: 'piped one', text: 'x', trace: 'mine' } };
      expect(await send(path, { 'X-Trace': 'mine' })).toMatchObject({ status: 200, body: { traced } });
    });

    it('runs an interceptor that replaces the handler or changes its error', async () => {
      expect(await send(path, { 'X-Trace': 'cached' })).toMatchObject({ body: { cached: true } });
      expect(await send(path, { 'X-Trace': 'mine' }, { text: 'conflict' })).toMatchObject({
        status: 409,
        body: { message: 'traced: no' },
      });
    });
  });
});
