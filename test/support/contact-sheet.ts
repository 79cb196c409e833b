import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';

/** Pictures of pages: each page is a row, each variant of it a column. */
export interface Pictures {
  readonly folder: string;
  readonly pages: readonly string[];
  readonly variants: readonly string[];
}

export function pictureName(page: string, variant: string): string {
  return `${page}-${variant}.png`;
}

/** Writes a page that shows all pictures beside each other, and a picture of that page. */
export async function writeContactSheet(browser: Browser, name: string, pictures: Pictures): Promise<void> {
  const { folder, variants } = pictures;
  const sheet = join(folder, `${name}.html`);
  writeFileSync(sheet, htmlOf(name, pictures));
  const context = await browser.newContext({ viewport: { width: variants.length * 260, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(pathToFileURL(sheet).href, { waitUntil: 'load' });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  } finally {
    await context.close();
  }
}

function htmlOf(name: string, { pages, variants }: Pictures): string {
  const cell = (page: string, variant: string): string => {
    const file = pictureName(page, variant);
    return `<td><a href="${file}"><img src="${file}" alt="${page}, ${variant}" width="240"></a></td>`;
  };
  const rows = pages.map(
    (page) => `<tr><th>${page}</th>${variants.map((variant) => cell(page, variant)).join('')}</tr>`,
  );
  return `<!doctype html>
<meta charset="utf-8">
<title>${name}</title>
<style>body { font: 12px sans-serif } img { border: 1px solid #888 } th { text-align: left; vertical-align: top }</style>
<table><tr><th></th>${variants.map((variant) => `<th>${variant}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
`;
}
