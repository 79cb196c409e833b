import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';
import type { Program } from '../../tools/provision/programs.js';

export async function startBrowser({ path, env }: Program): Promise<Browser> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return chromium.launch({
    executablePath: path,
    timeout: 180_000,
    env: { ...Object.fromEntries(inherited), ...env },
    // As root, Chromium does not start with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
  });
}

/** Serves a page and its script on a port of its own. */
export class PageServer {
  private readonly server: Server;
  html = '';
  script = '';

  constructor() {
    this.server = createServer(({ url }, response) => {
      const isScript = url === '/main.js';
      response
        .setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
        .end(isScript ? this.script : this.html);
    });
  }

  async listen(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
