const UNRELEASED = '## Unreleased'

/**
 * Returns a changelog in which the unreleased changes become those of a version.
 * @throws if nothing is unreleased, or the version exists already
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  if (sectionOf(text, UNRELEASED) === '') throw new Error(`CHANGELOG.md has nothing below "${UNRELEASED}".`)
  if (sectionOf(text, `## ${version},`) !== '') throw new Error(`CHANGELOG.md has ${version} already.`)
  return text.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version}, ${date}`)
}

/** Returns the entry of a version in a changelog. @throws if there is none */
export function notesOf(text: string, version: string): string {
  const notes = sectionOf(text, `## ${version},`)
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}.`)
  return `${notes}\n`
}

/** Returns the text from the heading with this beginning to the next; empty if there is none. */
function sectionOf(text: string, heading: string): string {
  const sections = text.split(/^(?=## )/m).filter(section => section.startsWith(heading))
  return (sections[0] ?? '').split('\n').slice(1).join('\n').trim()
}
