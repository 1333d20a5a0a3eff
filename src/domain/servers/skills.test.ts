import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSkillText } from './skill-text.ts'
import {
  fileRefusal,
  isFailedCheck,
  readCatalog,
  readEntry,
  skillFilePath,
  skillFileUri,
  skillNameOf,
  type SkillEntry,
} from './skills.ts'

const URI = 'skill://acme/pdf/SKILL.md'
const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
const fileAt = (uri: string, text = '') => ({ uri, digest: digestOf(text), size: Buffer.byteLength(text) })
const frontmatter = { name: 'pdf', description: 'Reads PDF.' }
const given = { uri: URI, frontmatter, resources: [fileAt(URI)] }
const entryOf = (more: object = {}) => readEntry({ ...given, ...more }) as SkillEntry
const reasonOf = (more: object) => {
  const entry = readEntry({ ...given, ...more })
  return 'reason' in entry ? entry.reason : undefined
}
const withFile = (file: object) => ({ resources: [...given.resources, file] })

describe('an entry', () => {
  test('that follows the rules is read with all its fields', () => {
    const license = { ...frontmatter, license: 'MIT', metadata: { version: 2 } }
    const resources = [...given.resources, fileAt('skill://acme/pdf/references/FORMS.md', 'forms')]
    expect(entryOf({ frontmatter: license, resources })).toEqual({
      skillUri: URI,
      name: 'pdf',
      description: 'Reads PDF.',
      frontmatter: license,
      resources,
    })
  })

  test.each<[string, object, RegExp]>([
    ['no address', { uri: 7 }, /no address/],
    ['an address of another file', { uri: 'skill://acme/pdf/README.md' }, /does not end in/],
    ['no front matter', { frontmatter: null }, /no front matter/],
    ['another name than its address', { frontmatter: { ...frontmatter, name: 'doc' } }, /named "doc".*"pdf"/],
    ['a name with two hyphens', { frontmatter: { ...frontmatter, name: 'p--f' } }, /not a name/],
    ['no description', { frontmatter: { name: 'pdf', description: ' ' } }, /no description/],
    ['no list of files', { resources: null }, /does not list its files/],
    ['no SKILL.md among its files', { resources: [] }, /its SKILL.md/],
    ['a file of another skill', withFile(fileAt('skill://acme/doc/a.md')), /not in its folder/],
    ['a file above its folder', withFile(fileAt('skill://acme/pdf/../doc/a.md')), /not in its folder/],
    ['a file above its folder, encoded', withFile(fileAt('skill://acme/pdf/%2E%2e/a.md')), /not in its folder/],
    ['a file twice', withFile(given.resources[0]!), /twice/],
    ['another digest', withFile({ ...fileAt('skill://acme/pdf/a.md'), digest: 'md5:00' }), /not SHA-256/],
    ['a negative size', withFile({ ...fileAt('skill://acme/pdf/a.md'), size: -1 }), /not a number of bytes/],
  ])('with %s is rejected', (_, more, reason) => {
    expect(reasonOf(more)).toMatch(reason)
  })

  test('without digests, or with too many files, is listed and not read', () => {
    expect(entryOf({ resources: 'dynamic' }).unloadable?.reason).toBe('no_resources')
    const many = Array.from({ length: 513 }, (_, at) => fileAt(`skill://acme/pdf/${at}`))
    expect(entryOf({ resources: many }).unloadable?.reason).toBe('too_large')
  })

  test('is read or rejected, whatever a server sends', () => {
    const anything = fc.record({ uri: fc.anything(), frontmatter: fc.anything(), resources: fc.anything() })
    fc.assert(
      fc.property(fc.oneof(fc.anything(), anything), value => {
        expect(typeof readEntry(value).skillUri).toBe('string')
      }),
    )
  })
})

test('entries with one address contradict each other, and none of them is used', () => {
  const other = { ...given, frontmatter: { ...frontmatter, description: 'Other.' } }
  const { skills, duplicateUris, rejected } = readCatalog([given, other, 'nothing'])
  expect({ skills, duplicateUris }).toEqual({ skills: [], duplicateUris: [URI] })
  expect(rejected).toEqual([
    { skillUri: '', reason: 'The entry has no address.' },
    { skillUri: URI, reason: 'It is listed more than once.' },
  ])
})

test('names, paths and addresses belong together', () => {
  expect(skillNameOf(URI)).toBe('pdf')
  expect(skillNameOf('file:///a')).toBe('file:///a')
  const uri = skillFileUri(URI, 'references/FORMS.md')
  expect(uri).toBe('skill://acme/pdf/references/FORMS.md')
  expect(skillFilePath(URI, uri)).toBe('references/FORMS.md')
  expect(skillFileUri(URI, uri)).toBe(uri)
})

test('any other bytes than those of the entry are refused, by their number first', () => {
  const texts = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(texts, texts, (listed, served) => {
      const { size, digest } = fileAt(URI, served)
      const file = fileAt(URI, listed)
      const refusal = fileRefusal(entryOf(), file, { size, digest })
      const other = size === file.size ? 'digest_mismatch' : 'size_mismatch'
      expect(refusal?.kind).toBe(digest === file.digest ? undefined : other)
      expect(refusal === undefined || isFailedCheck(refusal)).toBe(true)
    }),
  )
})

describe('the front matter of a SKILL.md', () => {
  const text = '---\nname: pdf\ndescription: Reads PDF.\n---\n# PDF\n---\nend\n'
  const kindOf = (changed: string, more: object = {}) => {
    const read = readSkillText(entryOf(more), changed)
    return 'kind' in read ? [read.kind, read.field] : read.content
  }

  test.each([
    ['LF', text],
    ['CRLF', text.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${text}`],
  ])('is left out if it is that of the entry, with %s', (_, written) => {
    expect(String(kindOf(written)).replaceAll('\r', '')).toBe('# PDF\n---\nend\n')
  })

  test.each<[string, string, object, string | undefined]>([
    ['another description', text.replace('Reads', 'Sends'), {}, 'description'],
    ['a field more', text.replace('name:', 'allowed-tools: Bash\nname:'), {}, 'allowed-tools'],
    ['a field less', text, { frontmatter: { ...frontmatter, license: 'MIT' } }, 'license'],
    ['no front matter', '# PDF\n', {}, undefined],
    ['no end', text.replaceAll('---\n#', '#').replace('---\nend', ''), {}, undefined],
    ['two documents', text.replace('name:', 'name: a\n...\nname:'), {}, undefined],
    ['a text instead of fields', '---\npdf\n---\n', {}, undefined],
    ['broken YAML', '---\nname: [\n---\n', {}, undefined],
  ])('is refused with %s', (_, changed, more, field) => {
    expect(kindOf(changed, more)).toEqual(['frontmatter_drift', field])
  })

  test('may have values of every kind, in any order', () => {
    const written = '---\ndescription: Reads PDF.\nmetadata:\n  tags: [a, b]\n  n: 1.5\n  none:\nname: pdf\n---\n'
    const metadata = { none: null, n: 1.5, tags: ['a', 'b'] }
    expect(kindOf(written, { frontmatter: { metadata, ...frontmatter } })).toBe('')
  })
})
