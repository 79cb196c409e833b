import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { findProgram } from '../../tools/provision/programs.js';
import { startBrowser } from './browser.js';
import { ConsoleVisitor } from './console-visitor.js';
import { Platform } from './platform.js';
import { Scenario } from './scenario.js';

const chromium = findProgram('chromium');

/** What a test of the console has: a platform, a user of its API, and a person who looks at the first tab. */
export class ConsoleDesk {
  platform!: Platform;
  user!: Scenario;
  visitor!: ConsoleVisitor;
  /** Of the control plane whose console is looked at. */
  url!: string;
  private browser: Browser | undefined;

  get page(): Page {
    return this.visitor.page;
  }

  /** Opens a page in the first tab, as the administrator. */
  async open(path: string, key = this.platform.adminKey): Promise<void> {
    await this.visitor.open(path);
    await this.visitor.signIn(key);
  }

  async start(): Promise<void> {
    this.platform = await Platform.shared();
    this.url = this.platform.url;
    this.user = new Scenario(this.platform);
    if (chromium !== undefined) this.browser = await startBrowser(chromium);
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.platform?.stop();
  }

  async sitDown(): Promise<void> {
    if (this.browser === undefined) throw new Error('There is no browser');
    this.visitor = await ConsoleVisitor.start(this.browser, this.url);
  }
}

/**
 * Describes pages of the console. Each test has its own browser context; nothing that must never happen has happened at
 * its end. Without Chromium the tests are skipped.
 */
export function describeConsole(name: string, tests: (desk: ConsoleDesk) => void): void {
  (chromium === undefined ? describe.skip : describe)(name, () => {
    const desk = new ConsoleDesk();
    beforeAll(() => desk.start());
    afterAll(() => desk.stop());
    beforeEach(() => desk.sitDown());
    afterEach(async () => {
      await desk.visitor.close();
      expect(desk.visitor.faults).toEqual([]);
    });
    tests(desk);
  });
}
