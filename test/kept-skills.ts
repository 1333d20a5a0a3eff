import { readSkillText } from '../src/domain/servers/skill-text.ts'
import { readEntry, type SkillEntry } from '../src/domain/servers/skills.ts'
import { times, type Left } from './kept-things.ts'

const URI = 'skill://s/SKILL.md'
const digest = `sha256:${'0'.repeat(64)}`
const frontmatter = { name: 's', description: 'd' }
const entryOf = (resources: readonly object[], fields = frontmatter) =>
  readEntry({ uri: URI, frontmatter: fields, resources }) as SkillEntry
const file = (uri: string, size = 0) => ({ uri, digest, size })
const unlessUnloadable = (size: number, { unloadable }: SkillEntry): Left => (unloadable ? 'refused' : size)

/** Returns how much of the given amount is accepted of a skill that a server offers. */
export const skillProbes = {
  skillFiles: (size: number) =>
    unlessUnloadable(size, entryOf([URI, ...times(size - 1, at => `skill://s/${at}`)].map(uri => file(uri)))),
  skillBytes: (size: number) => unlessUnloadable(size, entryOf([file(URI, size - 1), file('skill://s/a', 1)])),
  skillFrontMatter(size: number): Left {
    const front = (description: string) => `name: s\ndescription: ${description}`
    const description = 'd'.repeat(size - front('').length)
    const read = readSkillText(entryOf([file(URI)], { name: 's', description }), `---\n${front(description)}\n---\n`)
    return 'kind' in read ? 'refused' : size
  },
}
