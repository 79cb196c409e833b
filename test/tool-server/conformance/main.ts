// The tool server with the fixtures of the conformance suite instead of its tools: the same process, HTTP layer, checks,
// limits and audit.
import 'reflect-metadata';
import { startHttpServer } from '../../../apps/tool-server/src/http-server.js';
import { CREATE_SERVER, ToolServerModule } from '../../../apps/tool-server/src/tool-server.module.js';
import { createFixtureServer } from './fixture-server.js';

await startHttpServer({
  module: ToolServerModule,
  providers: [{ provide: CREATE_SERVER, useValue: createFixtureServer }],
});
