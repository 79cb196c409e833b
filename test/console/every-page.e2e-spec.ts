import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pagesOfBareThings, pagesOfNothing, pagesWithContent, type ConsolePages } from '../support/console-pages.js';
import { describeConsole } from '../support/console-desk.js';
import { pictureName, writeContactSheet } from '../support/contact-sheet.js';

/** `npm run screenshots` sets it: the folder of the pictures of all pages. */
const FOLDER = process.env['SCREENSHOTS'];
/** The pages whose states are looked at without it. */
const SAMPLE: ReadonlySet<string> = new Set(['overview', 'executions', 'execution', 'agent', 'keys']);
/** Pictures in the README and in the guide of the console. */
const SHOWN: ReadonlySet<string> = new Set(['overview', 'execution', 'trace', 'agent', 'job', 'policy']);

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;
const SCHEMES = ['light', 'dark'] as const;
const STATES = ['content', 'empty', 'loading', 'error'] as const;

type Size = (typeof SIZES)[number];
type State = (typeof STATES)[number];

describeConsole('every page', (desk) => {
  const folder = FOLDER ?? mkdtempSync(join(tmpdir(), 'console-pictures-'));
  let filled: ConsolePages;
  /** Pages of things with nothing in them, and the key of their organization. */
  let bare: ConsolePages;
  let bareKey: string;
  let emptyKey: string;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const { platform } = desk;
    ({ url: desk.url } = await platform.startControlPlane({ PLATFORM_API_URL: platform.platformApi?.url ?? '' }));
    emptyKey = (await platform.createOrganization('empty')).adminKey;
    bareKey = (await platform.createOrganization('bare')).adminKey;
    bare = await pagesOfBareThings(platform, bareKey);
    await platform.startWorker();
    filled = await pagesWithContent(platform);
    // The pictures show a name that a person would choose.
    const session = await desk.user.client.GET('/api/v1/client/session');
    await platform.sql(`UPDATE organizations SET name = 'acme' WHERE id = $1`, [session.data?.organization_id]);
  });

  afterAll(() => {
    if (FOLDER === undefined) rmSync(folder, { recursive: true, force: true });
  });

  it.each(SIZES)('fits $width × $height pixels, light and dark', async (size) => {
    await signIn(size);
    for (const page of filled) await look(page, 'content', size);
  });

  it.each(SIZES)('says what is missing where there is nothing, on $width × $height pixels', async (size) => {
    await signIn(size, emptyKey);
    for (const page of chosen(pagesOfNothing())) await look(page, 'empty', size);
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(size, bareKey);
    for (const page of chosen(bare)) await look(page, 'empty', size);
  });

  it.each(SIZES)('says that it is loading, on $width × $height pixels', async (size) => {
    await signIn(size);
    await desk.page.route(isOfApi, () => undefined);
    for (const page of chosen(filled)) await look(page, 'loading', size);
    await desk.page.unrouteAll();
  });

  it.each(SIZES)('says what failed, on $width × $height pixels', async (size) => {
    await signIn(size);
    const failure = { status: 500, json: { detail: 'The database did not answer in time.' } };
    await desk.page.route(isOfApi, (route) => route.fulfill(failure));
    for (const page of chosen(filled)) await look(page, 'error', size);
    await desk.page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(desk.visitor.faults.splice(0).filter((fault) => !/\b500\b/.test(fault))).toEqual([]);
  });

  it('is shown in each of its states on one sheet', async () => {
    const pages = chosen(filled).map(([name]) => name);
    const browser = desk.page.context().browser();
    if (browser === null) throw new Error('The page has no browser');
    for (const { width } of SIZES) {
      const variants = STATES.flatMap((state) => SCHEMES.map((scheme) => variantOf(state, width, scheme)));
      const files = pages.flatMap((page) => variants.map((variant) => pictureName(page, variant)));
      expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
      await writeContactSheet(browser, `sheet-${width}`, { folder, pages, variants });
    }
  });

  async function signIn(size: Size, key?: string): Promise<void> {
    await desk.page.setViewportSize(size);
    await desk.open('/models', key);
    await desk.page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
  }

  async function look([name, path]: readonly [string, string], state: State, { width }: Size): Promise<void> {
    const { page } = desk;
    await desk.visitor.open(path);
    const loading = page.getByRole('status', { name: /^Loading/ }).first();
    if (state === 'loading') await loading.waitFor();
    else if (state === 'error') await page.getByRole('alert').first().waitFor();
    const heading = page.getByRole('heading', { level: 1 });
    await heading.waitFor();
    if (state === 'content' || state === 'empty') await loading.waitFor({ state: 'detached' });
    const seen = {
      width: await page.evaluate('document.documentElement.scrollWidth'),
      headings: await heading.count(),
    };
    expect({ name, ...seen }).toEqual({ name, width, headings: 1 });
    if (FOLDER === undefined && !SAMPLE.has(name)) return;
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, pictureName(name, variantOf(state, width, colorScheme))) });
    }
    if (FOLDER === undefined || state !== 'content' || width !== 1280 || !SHOWN.has(name)) return;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.screenshot({ path: join('docs', 'images', `console-${name}.png`) });
  }
});

/** The pages whose states are looked at. */
function chosen(pages: ConsolePages): (readonly [string, string])[] {
  return [...pages].filter(([name]) => FOLDER !== undefined || SAMPLE.has(name));
}

/** Whether a request is one of a page: who is signed in is known before. */
function isOfApi({ pathname }: URL): boolean {
  return pathname.includes('/api/v1/') && !pathname.endsWith('/client/session');
}

function variantOf(state: State, width: number, scheme: (typeof SCHEMES)[number]): string {
  return `${state}-${width}-${scheme}`;
}
