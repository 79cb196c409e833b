const UNRELEASED = '## [Unreleased]';

/** A section of a Markdown text: from its heading to the next heading of the same level. */
function sectionOf(changelog: string, heading: RegExp): string | undefined {
  return changelog.split(/^(?=## )/m).find((section) => heading.test(section));
}

/** Returns the text below the heading "Unreleased". Throws if there is none, or only headings. */
export function unreleasedNotes(changelog: string): string {
  const section = sectionOf(changelog, /^## \[Unreleased\]$/m);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}"`);
  const notes = withoutHeading(section);
  if (!/^(?!#).*\S/m.test(notes)) throw new Error(`The section "${UNRELEASED}" of CHANGELOG.md is empty`);
  return notes;
}

/** Returns the text below the heading of a version. */
export function notesOf(changelog: string, version: string): string {
  const section = sectionOf(changelog, new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of version ${version}`);
  return withoutHeading(section);
}

/** Moves what is unreleased below a heading of the version, and leaves an empty section "Unreleased". */
export function releaseNotes(changelog: string, version: string, date: string): string {
  unreleasedNotes(changelog);
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`);
}

function withoutHeading(section: string): string {
  return section.replace(/^## .*\n/, '').trim();
}
