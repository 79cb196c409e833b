import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import {
  ForbiddenException,
  type ArgumentMetadata,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { FILTER_CATCH_EXCEPTIONS } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { ApplicationConfig } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { from, isObservable, lastValueFrom, Observable } from 'rxjs';
import type { WireRequest } from '../wire/wire-request.js';
import { argumentTypesOf, kindOf, routeArgumentsOf, type RouteArgument } from '../routes/route-arguments.js';
import { keepsAsyncContext } from '../routes/async-context.js';
import type { AuditedRoute } from '../access/route-audit.js';

/** The parts of an Express request from which the arguments of a hot route are read. */
export type PipelineRequest = WireRequest & { params?: Readonly<Record<string, string>>; body?: unknown };

/** Resolves to the handler's result as changed by the interceptors, or to undefined after a filter has sent an error. */
export type Pipeline = (request: PipelineRequest, response: ServerResponse) => Promise<unknown>;

/**
 * Returns a function that runs a handler with the global guards, interceptors, pipes and filters of the application
 * (`APP_GUARD` and so on), in the order and with the semantics of Nest's router. For interceptors that return
 * `next.handle()` unchanged, it does not subscribe to an Observable. Nest's own `ExternalContextCreator` costs too much
 * (docs/adr/0002).
 */
export function compilePipeline(route: AuditedRoute, config: ApplicationConfig): Pipeline {
  const { controller, handler, instance } = route;
  const guards = config.getGlobalGuards();
  const interceptors = config.getGlobalInterceptors().map((interceptor) => ({
    interceptor,
    keepsContext: keepsAsyncContext(interceptor),
  }));
  const filters = compileFilters(config.getGlobalFilters());
  const argumentsOf = compileArguments(route, config.getGlobalPipes());
  /** Runs the interceptors from this position on, then the handler. */
  const proceed = async (context: ExecutionContext, from: number): Promise<unknown> => {
    for (let position = from; ; position += 1) {
      const next = interceptors[position];
      if (next === undefined) break;
      const rest = new Rest(() => proceed(context, position + 1), next.keepsContext);
      const returned = next.interceptor.intercept(context, rest);
      const result = isPromise(returned) ? await returned : returned;
      if (result !== rest) return lastValueFrom(result);
      if (rest.opensContext) return rest.run();
    }
    const args = argumentsOf(context);
    const result = handler.apply(instance, isPromise(args) ? await args : args);
    return await (isObservable(result) ? lastValueFrom(result) : result);
  };
  return async (request, response) => {
    const context = new HotContext([request, response], controller, handler);
    try {
      for (const guard of guards) {
        const verdict = guard.canActivate(context);
        const settled = isObservable(verdict) ? lastValueFrom(verdict) : verdict;
        if (!(isPromise(settled) ? await settled : settled)) throw new ForbiddenException('Forbidden resource');
      }
      return await proceed(context, 0);
    } catch (error) {
      await sendError(filters, error, context);
      return undefined;
    }
  };
}

/**
 * Caches `switchToHttp`, which is called ten times per request: Nest's own context creates three functions at each
 * call.
 */
class HotContext extends ExecutionContextHost {
  private http: ReturnType<ExecutionContextHost['switchToHttp']> | undefined;

  override switchToHttp(): ReturnType<ExecutionContextHost['switchToHttp']> {
    return (this.http ??= super.switchToHttp());
  }
}

/** The rest of the pipeline after an interceptor, as an `Observable` that it may pipe. */
class Rest extends Observable<unknown> implements CallHandler {
  /** The rest runs in the interceptor's own async context, which it may have opened around `next.handle()`. */
  private scope: AsyncResource | undefined;

  constructor(
    private readonly work: () => unknown,
    private readonly keepsContext: boolean,
  ) {
    super((subscriber) => from(this.settled()).subscribe(subscriber));
  }

  handle(): this {
    if (!this.keepsContext) this.scope = new AsyncResource('Interceptor');
    return this;
  }

  /** Whether the rest must be executed with `run` instead of directly in the current context. */
  get opensContext(): boolean {
    return this.scope !== undefined;
  }

  run(): unknown {
    return this.scope === undefined ? this.work() : this.scope.runInAsyncScope(this.work);
  }

  private async settled(): Promise<unknown> {
    return this.run();
  }
}

interface Filter {
  readonly types: readonly Type[];
  readonly send: (error: unknown, context: ExecutionContextHost) => unknown;
}

/** As in Nest, the filter that was registered last is tried first. */
function compileFilters(filters: readonly ExceptionFilter[]): Filter[] {
  return filters.toReversed().map((filter) => ({
    types: (Reflect.getMetadata(FILTER_CATCH_EXCEPTIONS, filter.constructor) ?? []) as Type[],
    send: filter.catch.bind(filter),
  }));
}

async function sendError(filters: readonly Filter[], error: unknown, context: ExecutionContextHost): Promise<void> {
  const filter = filters.find(({ types }) => types.length === 0 || types.some((type) => error instanceof type));
  if (filter === undefined) throw error;
  await filter.send(error, context);
}

interface Argument {
  readonly index: number;
  readonly metadata: ArgumentMetadata;
  readonly extract: (context: ExecutionContext) => unknown;
}

/** Returns the arguments or, if an extractor or a pipe is asynchronous, their promise. */
function compileArguments(
  route: AuditedRoute,
  pipes: readonly PipeTransform[],
): (context: ExecutionContext) => unknown[] | Promise<unknown[]> {
  const types = argumentTypesOf(route.controller, route.methodName);
  const declared = Object.entries(routeArgumentsOf(route.controller, route.methodName)).map(([key, argument]) =>
    compileArgument(key, argument, types[argument.index] as Type),
  );
  return (context) => {
    // All arguments are extracted before the first pipe runs. The fast path therefore reports the same fault as Nest if there are
    // two.
    const values = declared.map(({ extract }) => extract(context));
    const resolved: unknown[] = [];
    for (const [position, { index, metadata }] of declared.entries()) {
      resolved[index] = pipeThrough(pipes, values[position], metadata);
    }
    return resolved.some(isPromise) ? Promise.all(resolved) : resolved;
  };
}

function compileArgument(key: string, { index, data, factory }: RouteArgument, metatype: Type): Argument {
  if (factory !== undefined) {
    const metadata: ArgumentMetadata = { type: 'custom', metatype, data: data as string };
    return { index, metadata, extract: (context) => factory(data, context) };
  }
  if (kindOf(key) === BODY) {
    return { index, metadata: { type: 'body', metatype }, extract: (context) => requestOf(context).body };
  }
  const name = String(data);
  const metadata: ArgumentMetadata = { type: 'param', metatype, data: name };
  return { index, metadata, extract: (context) => requestOf(context).params?.[name] };
}

function pipeThrough(pipes: readonly PipeTransform[], value: unknown, metadata: ArgumentMetadata, from = 0): unknown {
  let piped = value;
  for (let position = from; ; position += 1) {
    if (isPromise(piped)) return piped.then((settled) => pipeThrough(pipes, settled, metadata, position));
    const pipe = pipes[position];
    if (pipe === undefined) return piped;
    piped = pipe.transform(piped, metadata);
  }
}

const BODY: number = RouteParamtypes.BODY;

function requestOf(context: ExecutionContext): PipelineRequest {
  return context.switchToHttp().getRequest<PipelineRequest>();
}

/** Most values are not promises, and awaiting a value costs as much as the rest of its processing. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
