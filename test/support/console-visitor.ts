import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Browsers report refused requests, and streams that the server ends, as errors; the pages show them. */
const REFUSED_REQUEST =
  /^Failed to load resource: (?:the server responded with a status of 4|net::ERR_INCOMPLETE_CHUNKED)/;

const SCHEMES = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  forced: { colorScheme: 'light', forcedColors: 'active' },
} as const;

/** A person with a browser on the web console. */
export class ConsoleVisitor {
  /** What must never happen: errors of scripts, reports of the policy, responses of 500 or more, foreign requests. */
  readonly faults: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly url: string,
  ) {}

  static async start(browser: Browser, url: string): Promise<ConsoleVisitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    return new ConsoleVisitor(context, await context.newPage(), url).watching();
  }

  private watching(): this {
    this.context.on('page', (page) => this.watch(page));
    this.watch(this.page);
    return this;
  }

  private watch(page: Page): void {
    page.setDefaultTimeout(120_000);
    page.on('pageerror', ({ message }) => this.faults.push(`error: ${message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !REFUSED_REQUEST.test(message.text())) this.faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url)) this.faults.push(`request to ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 500) this.faults.push(`${response.status()} of ${response.url()}`);
    });
  }

  /** Opens a page of the console, in the first tab. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Returns what axe finds on the page as it is, light, dark and in forced colors: rules with the elements that break them. */
  async accessibilityFaults(): Promise<string[]> {
    const faults: string[] = [];
    for (const [scheme, media] of Object.entries(SCHEMES)) {
      await this.page.emulateMedia(media);
      await this.page.evaluate(axe.source);
      const { violations } = await this.page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
      for (const { id, nodes } of violations)
        faults.push(`${scheme}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }
    return faults;
  }

  /** Makes the first tab believe that it is in the background, or no longer: browsers without windows show every tab. */
  async setVisible(isVisible: boolean): Promise<void> {
    const state = isVisible ? 'visible' : 'hidden';
    await this.page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
