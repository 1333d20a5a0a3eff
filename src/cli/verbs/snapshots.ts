import { existsSync } from 'node:fs'
import { contract } from '../../api/contract/contract.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Impact } from '../../lib/json-schema/impact.ts'
import { jsonText } from '../../lib/printable.ts'
import {
  parseSnapshot,
  snapshotChanges,
  SnapshotError,
  snapshotOf,
  unreadLines,
  type Snapshot,
  type SnapshotChange,
} from '../../domain/servers/snapshots.ts'
import { clean } from '../../tui/theme/text.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { checkLines, reportTheme, type Check } from '../doctor/doctor-check.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

export type DiffOptions = { json?: boolean; strict?: boolean }

const IMPACTS: Record<Impact, { state: Check['state']; words: string }> = {
  breaking: { state: 'fail', words: 'breaking' },
  unknown: { state: 'warn', words: 'may break' },
  safe: { state: 'ok', words: 'not breaking' },
}

/** Whether a word of `snapshot diff` names a file; a word that looks like one is never looked up among the servers. */
export function isSnapshotFile(word: string): boolean {
  return word === '-' || /[/\\]|\.json$/.test(word) || existsSync(word)
}

/** Reads the snapshot in a file; `-` is standard input. @throws UsageError */
async function readSnapshot(file: string): Promise<Snapshot> {
  try {
    return parseSnapshot(await readInputText(file, BOUNDS.answer.most))
  } catch (error) {
    if (error instanceof SnapshotError) throw new UsageError(`${file} ${error.message}.`)
    throw new UsageError(`The file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
}

/**
 * Runs `mcpdeck snapshot diff`: prints what changed from the first snapshot to the second, which are files or servers;
 * exits with 1 if a change breaks callers.
 */
export async function diffSnapshots(
  words: readonly string[],
  own: DiffOptions,
  common: CommonOptions,
  context?: CommandContext,
): Promise<number> {
  if (words.filter(word => word === '-').length > 1) throw new UsageError('Standard input can be read once only.')
  // Files are read first: their errors show without contacting a server.
  const files = new Map<string, Snapshot>()
  for (const word of words) if (isSnapshotFile(word)) files.set(word, await readSnapshot(word))
  const snapshots: Snapshot[] = []
  for (const word of words) snapshots.push(files.get(word) ?? (await liveSnapshot(word, context)))
  const [before, after] = snapshots
  if (!before || !after) throw new UsageError('Name two snapshots, or one and --command or --url.')
  const changes = await snapshotChanges(before, after)
  for (const line of new Set(snapshots.flatMap(unreadLines))) say(clean(line))
  const breaks = changes.some(({ impact }) => impact === 'breaking' || (own.strict && impact === 'unknown'))
  const exitCode = breaks ? EXIT.failedVerdict : EXIT.done
  if (own.json) process.stdout.write(`${jsonText({ items: changes, counts: countsOf(changes), exitCode })}\n`)
  else {
    if (changes.length > 0) process.stdout.write(checkLines(changes.map(checkOf), reportTheme(common)))
    say(verdict(changes))
  }
  return exitCode
}

async function liveSnapshot(word: string, context: CommandContext | undefined): Promise<Snapshot> {
  if (!context) throw new UsageError(`There is no file ${word}.`)
  const { id: serverId } = await context.find('servers', word)
  const { value } = await context.client.exchange(contract.servers.export, {
    projectId: await context.projectId(),
    serverId,
    body: {},
  })
  return snapshotOf(value)
}

function checkOf({ impact, of, name, says }: SnapshotChange): Check {
  const { state, words } = IMPACTS[impact]
  return { check: words, state, detail: `${of} ${clean(name)}: ${clean(says)}`, next: null }
}

function countsOf(changes: readonly SnapshotChange[]): Record<Impact, number> {
  const count = (impact: Impact) => changes.filter(change => change.impact === impact).length
  return { breaking: count('breaking'), unknown: count('unknown'), safe: count('safe') }
}

function verdict(changes: readonly SnapshotChange[]): string {
  if (changes.length === 0) return 'Nothing changed.'
  const { breaking, unknown, safe } = countsOf(changes)
  return `${breaking} breaking, ${unknown} that may break, ${safe} not breaking.`
}
