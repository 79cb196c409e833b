import { describe, expect, it } from '@jest/globals';
import { notesOf, releaseNotes, unreleasedNotes } from './changelog.js';

const HEAD = '# Changelog\n\nAll changes.\n\n';
const OLD = '## [0.1.0] - 2026-01-01\n\n### Added\n\n- Everything.\n';
const CHANGELOG = `${HEAD}## [Unreleased]\n\n### Added\n\n- A door.\n\n### Security\n\n- A lock.\n\n${OLD}`;

describe('the changelog', () => {
  it('moves what is unreleased below the version, and keeps the rest', () => {
    const released = releaseNotes(CHANGELOG, '0.2.0', '2026-02-03');
    expect(released).toBe(CHANGELOG.replace('## [Unreleased]', '## [Unreleased]\n\n## [0.2.0] - 2026-02-03'));
    expect(notesOf(released, '0.2.0')).toBe('### Added\n\n- A door.\n\n### Security\n\n- A lock.');
    expect(notesOf(released, '0.1.0')).toBe('### Added\n\n- Everything.');
    expect(() => unreleasedNotes(released)).toThrow('is empty');
  });

  it.each(['## [Unreleased]\n', '## [Unreleased]\n\n### Added\n\n### Security\n'])('calls %j empty', (section) => {
    expect(() => releaseNotes(`${HEAD}${section}\n${OLD}`, '0.2.0', '2026-02-03')).toThrow('is empty');
  });

  it('misses sections', () => {
    expect(() => unreleasedNotes(`${HEAD}${OLD}`)).toThrow('no section "## [Unreleased]"');
    expect(() => notesOf(CHANGELOG, '0.1')).toThrow('no section of version 0.1');
    expect(() => notesOf(CHANGELOG, '0a1.0')).toThrow('no section');
  });
});
