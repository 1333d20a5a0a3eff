import { statSync } from 'node:fs'
import type { FileProblem } from '../../domain/documents/document.ts'
import {
  candidatesOf,
  gathered,
  obstaclesOf,
  planImport,
  type Candidate,
  type ServerFiles,
} from '../../domain/servers/files/importing.ts'
import { grantSentence, sendGrants } from '../../domain/servers/files/grants.ts'
import { lossOf, remarksOn } from '../../domain/servers/files/remarks.ts'
import { ANY_FORMAT } from '../../domain/servers/files/formats.ts'
import { holderNames, readServers, type ReadServers } from '../../domain/servers/files/reading.ts'
import { resolved } from '../../domain/servers/files/variables.ts'
import { plural } from '../../lib/format.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { canPrompt, readAnswer } from '../output/confirm-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { carryOut, storeOf, type CarryOptions } from '../documents/apply-command.ts'
import { faulty, problemLine, readSource } from '../documents/files.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'
import { printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import { askSecret } from '../config/secret-prompt.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { namedText, serverFiles } from './known-files.ts'

export type ImportServersOptions = CarryOptions & { all?: boolean }

const STATE_WORDS: Readonly<Record<Candidate['state'], string>> = {
  new: 'new',
  same: 'same',
  differs: 'differs',
  unknown: 'saved',
  faulty: 'faulty',
}

const COLUMNS = [
  { title: 'FILE', path: 'file' },
  { title: 'SERVER', path: 'server' },
  { title: 'VIA', path: 'transport' },
  { title: 'STATE', path: 'state' },
  { title: 'NEEDS', path: 'needs' },
]

/** Runs `mcpdeck server import`; resolves to the exit code. */
export async function importServers(
  context: CommandContext,
  words: readonly string[],
  own: ImportServersOptions,
): Promise<number> {
  const files = serverFiles()
  const [first] = words
  const path = first !== undefined && isPath(first) ? first : undefined
  const names = path === undefined ? words : words.slice(1)
  const read = path === undefined ? found(files) : await readNamed(path)
  const candidates = await candidatesOf(read.entries, await storeOf(context), files.context)
  const isChoice = path !== undefined || own.all === true || names.length > 0
  if (!isChoice) return list(context, candidates, read.problems, own)
  const wanted = names.length === 0 ? candidates : named(candidates, names)
  const isLenient = path === undefined && names.length === 0
  const chosen = await answered(wanted, files)
  const obstacles = chosen.flatMap(({ resolved: own }) => obstaclesOf(own))
  if (!isLenient && obstacles.length + (path === undefined ? 0 : read.problems.length) > 0)
    throw faulty([...(path === undefined ? [] : read.problems), ...obstacles])
  const free = chosen.filter(({ resolved: own }) => obstaclesOf(own).length === 0)
  for (const { entry } of free) tell(entry, lossOf(entry))
  const plan = await planImport(free, await storeOf(context))
  if ('problems' in plan) throw faulty(plan.problems)
  const { granted } = plan
  for (const { entry, resolved: own } of granted) tell(entry, grantSentence(own))
  const left = isLenient ? [...read.problems, ...obstacles].map(problemLine) : []
  const after = granted.length > 0 && {
    effect: `sends the credentials of ${plural(granted.length, 'server')} to authorization servers`,
    async send() {
      const place = { client: context.client, store: await storeOf(context), projectId: await context.projectId() }
      return await sendGrants(granted, place)
    },
  }
  return await carryOut(context, plan, { ...own, left, ...(after && { after }) })
}

function tell({ name }: Candidate['entry'], sentence: string | undefined): void {
  if (sentence !== undefined) say(clean(`${name}: ${sentence}`))
}

/** Whether a word names a file instead of a server. */
function isPath(word: string): boolean {
  return word === '-' || /[/\\]|\.jsonc?$/i.test(word) || statSync(word, { throwIfNoEntry: false })?.isFile() === true
}

function found(files: ServerFiles): ReadServers {
  const { texts, problems } = files.find()
  const all = gathered(texts.map(readServers))
  return { ...all, problems: [...problems, ...all.problems] }
}

async function readNamed(path: string): Promise<ReadServers> {
  const { text } = await readSource(path)
  const source = path === '-' ? { file: 'standard input', text, format: ANY_FORMAT } : namedText(path, text)
  const read = readServers(source)
  if (read.entries.length > 0 || read.problems.length > 0) return read
  throw new UsageError(
    `${path} has no MCP servers where ${source.format.program} keeps them: ${holderNames(source.format)}.`,
  )
}

function named(candidates: readonly Candidate[], names: readonly string[]): readonly Candidate[] {
  const known = [...new Set(candidates.map(({ entry }) => entry.name))]
  for (const name of names)
    if (!known.includes(name)) throw new UsageError(`No file has a server "${clean(name)}".${didYouMean(name, known)}`)
  return candidates.filter(({ entry }) => names.includes(entry.name))
}

/**
 * Returns the servers with the person's answers to the inputs of their files; without a terminal the inputs stay open.
 */
async function answered(candidates: readonly Candidate[], files: ServerFiles): Promise<readonly Candidate[]> {
  if (!canPrompt()) return candidates
  const answers = new Map<string, string>()
  for (const {
    entry,
    resolved: { missing },
  } of candidates)
    for (const { kind, name, about, isSecret, reference, initial = '', options } of missing) {
      if (kind !== 'input' || answers.has(reference)) continue
      const choices = options ? ` (${options.join(', ')})` : ''
      const question = clean(`${entry.name} asks for ${about ?? name}${choices}${isSecret ? ', not shown' : ''}: `)
      const answer = isSecret ? await askSecret(question) : await readAnswer(question)
      answers.set(reference, answer || initial)
    }
  return candidates.map(each =>
    each.state === 'faulty' ? each : { ...each, resolved: resolved(each.entry, files.context, answers) },
  )
}

/** Prints the servers found in files as a table, and problems with the files on standard error. */
function list(
  { common }: CommandContext,
  candidates: readonly Candidate[],
  problems: readonly FileProblem[],
  { json }: ImportServersOptions,
): number {
  const rows = candidates.map(candidate => {
    const { entry, resolved: own, state } = candidate
    return {
      file: entry.file,
      server: entry.name,
      transport: entry.transportType,
      state: STATE_WORDS[state],
      needs: own.missing.map(({ reference }) => reference).join(' '),
      problems: own.problems.map(problemLine),
      remarks: remarksOn(candidate),
    }
  })
  if (json) {
    const wrong = problems.map(problem => problemLine(problem))
    printText(jsonText({ items: rows, problems: wrong }))
    return EXIT.done
  }
  for (const problem of [...problems, ...candidates.flatMap(({ resolved: own }) => own.problems)])
    say(problemLine(problem))
  if (rows.length === 0)
    say('No file of another program with MCP servers was found. Name one: mcpdeck server import FILE')
  else {
    printText(tableLines(COLUMNS, rows, { width: tableWidth(), ascii: common.ascii ?? false }).join('\n'))
    say('Nothing was imported. Add names, or --all.')
  }
  return EXIT.done
}
