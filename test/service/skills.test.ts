import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox, temporaryDirectory } from './harness.ts'

const { servers } = contract
const program = (name: string) => fileURLToPath(new URL(`../servers/${name}`, import.meta.url))

async function saved(args: string[]) {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const body = { name: 'skills', enabled: true, transportType: 'stdio', command: process.execPath, args }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  return { api, ids: { projectId, serverId } }
}

async function skillsServer() {
  const log = join(temporaryDirectory(), 'requests')
  const { api, ids } = await saved([program('skills-server.mjs'), log])
  return {
    list: () => api.call(servers.skills, { ...ids, body: {} }),
    get: (uri: string) => api.call(servers.getSkill, { ...ids, body: { uri } }),
    file: (resourceUri: string) =>
      api.call(servers.readSkillFile, { ...ids, body: { skillUri: 'skill://pdf/SKILL.md', resourceUri } }),
    reads: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter(line => line.startsWith('resources/read')),
  }
}

test('a listing has all pages, names entries that break the rules, and reads no file', async () => {
  const { list, reads } = await skillsServer()
  const { support, skills, rejected, duplicateUris } = await list()
  expect(support).toEqual({ active: true, directoryRead: false })
  expect(skills.map(({ name }) => name)).toEqual(['pdf', 'digest', 'size', 'front', 'twin', 'twin', 'made'])
  expect(skills[0]).toMatchObject({ skillUri: 'skill://pdf/SKILL.md', description: 'Knows pdf.' })
  expect(skills[0]!.resources).toHaveLength(4)
  expect(skills.at(-1)).toMatchObject({ resources: [], unloadable: { reason: 'no_resources' } })
  expect(duplicateUris).toEqual(['skill://same/SKILL.md'])
  expect(rejected).toEqual([
    { skillUri: 'skill://outside/SKILL.md', reason: expect.stringContaining('not in its folder') },
    { skillUri: '', reason: 'The entry has no address.' },
    { skillUri: expect.stringContaining('long'), reason: expect.stringContaining('does not end in /SKILL.md') },
    { skillUri: 'skill://same/SKILL.md', reason: 'It is listed more than once.' },
  ])
  expect(reads()).toEqual([])
})

test('a skill that is what its entry says is returned without its front matter, also if it is not listed', async () => {
  const { get, reads } = await skillsServer()
  const { skill, refusal } = await get('skill://pdf/SKILL.md')
  expect({ skill, refusal }).toMatchObject({ skill: { name: 'pdf', content: '\nUse pdf.\n' }, refusal: undefined })
  expect((await get('skill://unlisted/SKILL.md')).skill?.content).toBe('\nUse unlisted.\n')
  expect(reads()).toEqual(['resources/read skill://pdf/SKILL.md', 'resources/read skill://unlisted/SKILL.md'])
})

test.each([
  ['digest', 'digest_mismatch', /does not have the digest of its entry/],
  ['size', 'size_mismatch', /has 82 bytes, but its entry says 55/],
  ['front', 'frontmatter_drift', /another "description" than its entry/],
  ['outside', 'invalid_entry', /not in its folder/],
  ['made', 'no_resources', /made on demand/],
  ['null', 'invalid_entry', /entry has no address/],
  ['empty', 'not_found', /no skill at this address/],
  ['nowhere', 'not_found', /no skill at this address/],
])('the skill %s is refused with %s, and its text is withheld', async (name, kind, message) => {
  const { get } = await skillsServer()
  const answer = await get(`skill://${name}/SKILL.md`)
  expect(answer.refusal).toMatchObject({ kind, message: expect.stringMatching(message) })
  expect(answer.skill).toBeUndefined()
  expect(JSON.stringify(answer)).not.toMatch(/Forget|Use /)
})

test('a file is returned only if the skill lists it, and if it is what the entry says', async () => {
  const { file, reads } = await skillsServer()
  expect((await file('skill://pdf/references/FORMS.md')).file).toMatchObject({ text: 'All forms.\n' })
  expect((await file('skill://pdf/logo.bin')).file).toMatchObject({ blob: 'AP8B' })
  expect((await file('skill://pdf/changed.md')).refusal).toMatchObject({
    kind: 'digest_mismatch',
    resourceUri: 'skill://pdf/changed.md',
  })
  const before = reads().length
  expect((await file('skill://size/SKILL.md')).refusal?.kind).toBe('unlisted_resource')
  expect(reads().slice(before)).toEqual(['resources/read skill://pdf/SKILL.md'])
})

test('a server without the extension has no skills, which is no error', async () => {
  const { api, ids } = await saved([program('stdio-server.mjs'), 'healthy'])
  const none = await api.call(servers.skills, { ...ids, body: {} })
  expect(none).toMatchObject({ support: { active: false }, skills: [], rejected: [] })
  const { refusal } = await api.call(servers.getSkill, { ...ids, body: { uri: 'skill://pdf/SKILL.md' } })
  expect(refusal?.kind).toBe('extension_inactive')
})
