// `node bench/http-platforms.mjs <folder>`: CPU time per request of the same Nest controller on Express and on Fastify,
// for ADR 0087. The packages (@nestjs/core, common, platform-express, platform-fastify, reflect-metadata, rxjs) are those
// of the folder, because the project does not depend on Fastify. Each round measures both, in alternating order.
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLATFORMS = ['express', 'fastify'];
const ROUNDS = 12;
const REQUESTS = 4000;
const CONNECTIONS = 8;
const BODY = JSON.stringify({
  name: 'agent',
  settings: Object.fromEntries([...Array(40).keys()].map((n) => [`key_${n}`, n])),
});
const ROUTES = { 'GET, answer of 1 kB': ['GET', '/things/one'], 'POST of 0.6 kB': ['POST', '/things', BODY] };

/** A controller with one guard, one interceptor and one pipe. */
async function serve(platform, folder) {
  const load = createRequire(join(folder, 'index.js'));
  load('reflect-metadata');
  const { Body, Controller, Get, Module, Param, Post } = load('@nestjs/common');
  const { NestFactory } = load('@nestjs/core');
  const answer = { id: 'one', description: 'x'.repeat(900), created_at: '2026-01-01T00:00:00.000Z' };
  class ThingsController {
    read(id) {
      return { ...answer, id };
    }
    create({ name, settings }) {
      return { id: 'one', name, keys: Object.keys(settings).length };
    }
  }
  const route = (method, name, argument) => {
    method(ThingsController.prototype, name, Object.getOwnPropertyDescriptor(ThingsController.prototype, name));
    argument(ThingsController.prototype, name, 0);
  };
  route(Get(':id'), 'read', Param('id'));
  route(Post(), 'create', Body());
  Controller('things')(ThingsController);
  class AppModule {}
  Module({ controllers: [ThingsController] })(AppModule);
  const { ExpressAdapter } = load('@nestjs/platform-express');
  const { FastifyAdapter } = load('@nestjs/platform-fastify');
  const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter();
  const app = await NestFactory.create(AppModule, adapter, { logger: false });
  app.useGlobalGuards({ canActivate: () => true });
  app.useGlobalInterceptors({ intercept: (_context, next) => next.handle() });
  app.useGlobalPipes({ transform: (value) => value });
  await app.listen(0, '127.0.0.1');
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  process.send({ port: app.getHttpServer().address().port });
}

async function ask(child) {
  const answer = once(child, 'message');
  child.send('cpu');
  const [{ cpu }] = await answer;
  return cpu.user + cpu.system;
}

function send(agent, port, [method, path, body]) {
  return new Promise((done, fail) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const sent = request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
      response
        .resume()
        .on('end', () => (response.statusCode < 300 ? done() : fail(new Error(`${response.statusCode}`))));
    });
    sent.on('error', fail).end(body);
  });
}

/** Returns the CPU time of the server per request, in microseconds. */
async function measure({ child, port, agent }, route) {
  const before = await ask(child);
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) await send(agent, port, route);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return ((await ask(child)) - before) / REQUESTS;
}

async function start(platform, folder) {
  const child = fork(fileURLToPath(import.meta.url), [folder, platform]);
  const [{ port }] = await once(child, 'message');
  return { platform, child, port, agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS }) };
}

const quantile = (values, at) => values.toSorted((a, b) => a - b)[Math.round((values.length - 1) * at)];

async function compare(folder) {
  const servers = await Promise.all(PLATFORMS.map((platform) => start(platform, folder)));
  try {
    for (const [name, route] of Object.entries(ROUTES)) {
      const figures = new Map(PLATFORMS.map((platform) => [platform, []]));
      for (let round = -1; round < ROUNDS; round += 1) {
        for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
          const cpu = await measure(server, route);
          // The first round compiles the code.
          if (round >= 0) figures.get(server.platform).push(cpu);
        }
      }
      for (const [platform, values] of figures) {
        const [low, median, high] = [0.25, 0.5, 0.75].map((at) => quantile(values, at).toFixed(0));
        console.log(`${name}  ${platform.padEnd(8)} ${median} µs of CPU per request (quartiles ${low} to ${high})`);
      }
    }
  } finally {
    for (const { child } of servers) child.kill();
  }
}

const [folder = '', platform] = process.argv.slice(2);
await (platform === undefined ? compare(resolve(folder)) : serve(platform, resolve(folder)));
