import { contract } from '../../api/contract/contract.ts'
import type { GetSkillResult, SkillCatalog, SkillRefusal } from '../../api/contract/server-operations.ts'
import { cut, isFailedCheck, skillFileUri, skillNameOf } from '../../domain/servers/skills.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { checkOutput, writeBinaries, type FileOptions } from './binary-files.ts'
import { printContents, serverOf, type NamedServer } from './servers.ts'

type Own = { json?: boolean } & FileOptions

const COLUMNS = [
  { title: 'NAME', path: 'name' },
  { title: 'FILES', path: 'files' },
  { title: 'ADDRESS', path: 'skillUri' },
  { title: 'DESCRIPTION', path: 'description' },
]

/** Runs `mcpdeck skills`: lists skills without reading any file, or reads one skill or one of its files. */
export async function skillsOfServer(context: CommandContext, words: readonly string[], own: Own): Promise<number> {
  const [server, [wanted, file]] = await serverOf(context, words, [], 2)
  if (wanted === undefined) {
    if (own.output !== undefined) throw new UsageError('--output needs a skill: mcpdeck skills SERVER SKILL.')
    return await listSkills(context, server, own)
  }
  checkOutput(own)
  const found = wanted.includes('://') ? { skillUri: wanted } : await findSkill(context, server, wanted)
  if (!('skillUri' in found)) {
    if (own.json) printReceived(JSON.stringify(found))
    return refuse(wanted, found.refusal)
  }
  const { skillUri } = found
  if (file !== undefined) return await readFile(context, server, { skillUri, path: file, own })
  const input = { ...server.at, body: { uri: skillUri } }
  const { value, text } = await context.client.exchange(contract.servers.getSkill, input)
  const { skill, refusal } = value
  if (own.json) printReceived(text)
  if (refusal || !skill) return refuse(wanted, refusal)
  const contents = [{ type: 'resource', resource: { uri: skillUri, text: skill.content } }]
  if (!own.json) printContents(contents)
  return (await writeBinaries(contents, own)) ? EXIT.done : EXIT.noVerdict
}

async function readFile(
  context: CommandContext,
  { at }: NamedServer,
  { skillUri, path, own }: { skillUri: string; path: string; own: Own },
): Promise<number> {
  const body = { skillUri, resourceUri: skillFileUri(skillUri, path) }
  const { value, text } = await context.client.exchange(contract.servers.readSkillFile, { ...at, body })
  const { file, refusal } = value
  if (own.json) printReceived(text)
  if (refusal || !file) return refuse(path, refusal)
  const contents = [{ type: 'resource', resource: file }]
  if (!own.json) printContents(contents)
  return (await writeBinaries(contents, own)) ? EXIT.done : EXIT.noVerdict
}

/** Says why something was not printed. The exit code tells a failed check from one that could not be made. */
function refuse(wanted: string, refusal: SkillRefusal | null | undefined): number {
  say(`${clean(wanted)} is refused: ${clean(refusal?.message ?? 'The service did not return it.')}`)
  return refusal && isFailedCheck(refusal) ? EXIT.failedVerdict : EXIT.noVerdict
}

async function listSkills(context: CommandContext, { at, name }: NamedServer, { json }: Own): Promise<number> {
  const { value, text } = await context.client.exchange(contract.servers.skills, { ...at, body: {} })
  const { skills, support, rejected } = value
  if (json) printReceived(text)
  else if (skills.length > 0) printSkills(context, skills)
  for (const { name: skill, unloadable } of skills)
    if (unloadable) say(clean(`${skill} cannot be read: ${unloadable.message}`))
  for (const { skillUri, reason } of rejected ?? [])
    say(clean(`${cut(skillNameOf(skillUri)) || 'An entry'} is refused: ${reason}`))
  if (support?.active === false) {
    say(`${clean(name)} does not offer skills.`)
    return EXIT.noVerdict
  }
  if (rejected?.length) return EXIT.failedVerdict
  if (skills.length === 0 && !json) say(`${clean(name)} lists no skills; one that it does not list has an address.`)
  return EXIT.done
}

function printSkills(context: CommandContext, skills: SkillCatalog['skills']): void {
  const rows = skills.map(skill => ({
    ...skill,
    files: skill.resources?.length,
    description: skill.description.trim().split('\n', 1)[0],
  }))
  printText(tableLines(COLUMNS, rows, { width: tableWidth(), ascii: context.common.ascii ?? false }).join('\n'))
}

/**
 * Returns the address of the skill with this name, or the refusal that the service would send for it.
 * @throws UsageError if there is none, or several
 */
async function findSkill(
  { client }: CommandContext,
  { at, name }: NamedServer,
  wanted: string,
): Promise<{ skillUri: string } | Pick<GetSkillResult, 'support' | 'refusal'>> {
  const { support, skills, rejected } = await client.servers.skills({ ...at, body: {} })
  if (support?.active === false)
    return { support, refusal: { kind: 'extension_inactive', message: `${name} does not offer skills.` } }
  const all = [
    ...skills.map(({ skillUri }) => ({ skillUri, reason: undefined })),
    ...(rejected ?? []).map(({ skillUri, reason }) => ({ skillUri, reason })),
  ].filter(({ skillUri }) => skillNameOf(skillUri) === wanted)
  const [found, ...others] = all
  if (!found) throw new UsageError(`${clean(name)} lists no skill "${clean(wanted)}". Give its address if it has one.`)
  if (others.length === 0) {
    const { skillUri, reason } = found
    if (reason === undefined) return { skillUri }
    return { support, refusal: { kind: 'invalid_entry', message: reason, skillUri } }
  }
  const addresses = all.map(({ skillUri }) => clean(cut(skillUri))).join(', ')
  throw new UsageError(`There are several skills "${clean(wanted)}": ${addresses}. Give the address of one.`)
}
