import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';

const GUIDES = 'docs/guides';
const guides = readdirSync(join(projectRoot, GUIDES)).filter((name) => name !== 'README.md');
const pages = ['README.md', ...['README.md', ...guides].map((name) => join(GUIDES, name))];

describe('the guides', () => {
  it('are all listed in their index', () => {
    const index = links(join(GUIDES, 'README.md'));
    expect(guides.filter((name) => !index.includes(name))).toEqual([]);
  });

  it.each(pages)('link only to files and headings that exist: %s', (page) => {
    const broken = links(page).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(projectRoot, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('have nothing but a language after the fence of a code block: %s', (page) => {
    const fences = readPage(page).match(/^ *`{3,}.*$/gm) ?? [];
    expect(fences.filter((fence) => !/^ *```[a-z]*$/.test(fence))).toEqual([]);
    expect(fences.length % 2).toBe(0);
  });
});

/** Returns the targets of all relative links of a page. */
function links(page: string): string[] {
  const targets = [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^https?:/.test(target));
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function readPage(page: string): string {
  return readFileSync(join(projectRoot, page), 'utf8');
}
