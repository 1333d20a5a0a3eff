const UNRELEASED = '## Unreleased'

/**
 * A changelog in which what was not released yet is that of a version.
 * @throws where nothing is unreleased, or the version is there already
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  if (sectionOf(text, UNRELEASED) === '') throw new Error(`CHANGELOG.md has nothing below "${UNRELEASED}".`)
  if (sectionOf(text, `## ${version},`) !== '') throw new Error(`CHANGELOG.md has ${version} already.`)
  return text.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version}, ${date}`)
}

/** What a changelog says of a version. @throws where that is nothing */
export function notesOf(text: string, version: string): string {
  const notes = sectionOf(text, `## ${version},`)
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}.`)
  return `${notes}\n`
}

/** The text below the heading that begins so, up to the next; empty where there is none. */
function sectionOf(text: string, heading: string): string {
  const sections = text.split(/^(?=## )/m).filter(section => section.startsWith(heading))
  return (sections[0] ?? '').split('\n').slice(1).join('\n').trim()
}
