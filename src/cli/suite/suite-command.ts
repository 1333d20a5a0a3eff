import { jsonText } from '../../lib/printable.ts'
import { resolve } from 'node:path'
import { outcomeCounts, type CaseOutcome } from '../../domain/suites/batch.ts'
import type { DuplicatePolicy } from '../../domain/suites/duplicates.ts'
import { suiteFileSchema, writeSuiteFile, type SuiteFile } from '../../domain/suites/suite-file.ts'
import { documentFaults, serversOf } from '../../domain/suites/case-faults.ts'
import { placedObstacle, readCheckBasis, readPlan, readSuite } from '../../domain/suites/suite-store.ts'
import { isSettled, planLines, type SyncPlan } from '../../domain/suites/sync-plan.ts'
import { sendSync, type SyncDone } from '../../domain/suites/sync-send.ts'
import { isFile, writeTextFile } from '../../lib/yaml/text-files.ts'
import type { TextProblem, YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { goAfterEarlier, type Going } from '../journal/earlier-writes.ts'
import { EXIT } from '../process/exit-codes.ts'
import { faulty, firstLines, onDisk, problemLine, readSuiteAt } from '../documents/files.ts'
import { say } from '../output/prose.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { refuseReadOnly, type CommandContext, type SavedContext } from '../workspace/in-workspace.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'

export type ExportOptions = { output?: string; force?: boolean }
export type ImportOptions = {
  dryRun?: boolean
  into?: string
  new?: boolean
  prune?: boolean
  duplicates?: DuplicatePolicy
  reason?: string
  unchecked?: boolean
  yes?: boolean
  json?: boolean
}

/** Runs `mcpdeck suite export`. */
export async function exportSuite(
  { client, projectId: chosen, find }: CommandContext,
  [wanted = '']: readonly string[],
  { output, force }: ExportOptions,
): Promise<void> {
  if (output !== undefined && isFile(output) && !force)
    throw new UsageError(`${output} already exists; add --force to replace it.`)
  const projectId = await chosen()
  const { id: suiteId } = await find('suites', wanted)
  const text = writeSuiteFile(await readSuite(client, projectId, suiteId))
  if (output === undefined) process.stdout.write(text)
  else onDisk('written', output, () => writeTextFile(resolve(output), text))
}

/** Runs `mcpdeck suite import`; resolves to the exit code: 0 if everything was imported, 3 if something was refused. */
export async function importSuite(
  { client, projectId: chosen, refusing, saved: { opened } }: SavedContext,
  [path = '']: readonly string[],
  own: ImportOptions,
): Promise<number> {
  checkOptions(own)
  const { file, document } = await readSuiteAt(path)
  const projectId = await chosen()
  const going = await afterEarlierImport(opened, projectId, file, own)
  const target = {
    into: own.into,
    asNew: own.new ?? false,
    duplicates: own.duplicates ?? (own.unchecked ? 'warn' : 'block'),
  } as const
  const found = await readPlan(client, projectId, file, target)
  if ('obstacle' in found) throw faulty(inFile(path, [placedObstacle(found, document)]))
  const warnings = own.unchecked ? [] : await requireFaultless(client, projectId, path, document)
  const { plan, names } = found
  const prune = own.prune ?? false
  if (!own.json) say(planLines(plan, prune).join('\n'))
  if (own.dryRun || isSettled(plan, prune)) {
    if (own.json) print({ plan: planJson(plan, prune), done: null, warnings, exitCode: EXIT.done })
    else if (!own.dryRun) say('The service has all of it already.')
    return EXIT.done
  }
  refuseReadOnly('This', refusing)
  if (!own.yes && !(await confirmPrompt(effectOf(plan, prune)))) {
    say('Nothing was changed.')
    return EXIT.noVerdict
  }
  await going?.supersede()
  const done = await sendSync(client, projectId, plan, names, {
    prune,
    ...(own.duplicates && { duplicatePolicy: own.duplicates }),
    ...(own.reason && { overrideReason: own.reason }),
  })
  const exitCode = done.outcomes.some(({ kind }) => kind === 'failed') ? EXIT.noVerdict : EXIT.done
  if (own.json) print({ plan: planJson(plan, prune), done: doneJson(done), warnings, exitCode })
  else say(doneText(done))
  return exitCode
}

function checkOptions({ new: asNew, into, duplicates = 'block', reason }: ImportOptions): void {
  if (asNew && into !== undefined) throw new UsageError('--new and --into cannot be combined.')
  if (duplicates !== 'block' && !reason)
    throw new UsageError(`--duplicates ${duplicates} needs a --reason; it is stored with the cases.`)
}

/**
 * Settles open writes of an earlier import before the plan is read, which then shows their result. Only creating a
 * suite can repeat an earlier write, so only such writes are checked.
 */
async function afterEarlierImport(
  opened: OpenedWorkspace,
  projectId: string,
  file: SuiteFile,
  own: ImportOptions,
): Promise<Extract<Going, { retry: undefined }> | undefined> {
  if (own.dryRun || opened.workspace.profile.readOnly) return undefined
  const input = { projectId, body: { name: file.suite.name } }
  const write = { endpoint: contract.suites.create, input, idempotencyKey: undefined }
  const tell = own.json ? () => undefined : say
  const going = await goAfterEarlier(opened, write, { new: own.new !== true, quiet: false, say: tell, repeats: false })
  return going.retry ? undefined : going
}

/** Runs `mcpdeck suite schema`. */
export function printSchema(): number {
  process.stdout.write(`${jsonText(suiteFileSchema(), 2)}\n`)
  return EXIT.done
}

/** Returns problems with the name of their file. */
const inFile = (file: string, problems: readonly TextProblem[]) => problems.map(problem => ({ ...problem, file }))

/**
 * Checks what a schema cannot, such as names of servers and tools. Prints and returns mistakes that are only warnings.
 * @throws UsageError for all other mistakes
 */
async function requireFaultless(
  client: Client,
  projectId: string,
  path: string,
  document: YamlDocument,
): Promise<TextProblem[]> {
  const { known, unlisted, models } = await readCheckBasis(client, projectId, serversOf([document]))
  for (const name of unlisted) say(`${clean(name)} did not list its tools; names of its tools are not checked.`)
  const found = documentFaults(document, known, models)
  const faults = found.filter(({ isWarning }) => !isWarning)
  if (faults.length > 0)
    throw faulty(inFile(path, faults), 'Nothing was sent. Correct the file, or add --unchecked to send it as it is.')
  const warnings = inFile(path, found).map(warning => `Warning: ${problemLine(warning)}`)
  for (const line of firstLines(warnings)) say(line)
  return found.map(({ line, column, message }) => ({ line, column, message }))
}

function effectOf({ suite, file }: SyncPlan, prune: boolean): string {
  const what = suite
    ? `This changes the suite ${clean(suite.name)}`
    : `This creates the suite ${clean(file.suite.name)}`
  const spends = file.suite.schedule?.enabled ? ', whose schedule launches runs that spend' : ''
  return `${what}${spends}${prune ? ', and deletes cases for good' : ''}`
}

function doneText({ suiteId, isNew, isUndone, outcomes, changed, deleted }: SyncDone): string {
  const failed = outcomes.filter(({ kind }) => kind === 'failed')
  const sent = `${outcomeCounts(outcomes)}, ${changed} changed, ${deleted} deleted`
  const refused = `${failed.length} of ${plural(outcomes.length, 'case')} refused`
  return [
    ...failed.map(({ form, code, message }) => clean(`${form.title}: ${code}: ${message ?? ''}`)),
    isUndone
      ? `Nothing was imported: ${refused}, and the new suite is deleted again.`
      : `${isNew ? 'Created' : 'Changed'} ${suiteId}: ${sent}.`,
  ].join('\n')
}

function planJson({ suite, settings, created, changed, unchanged, others }: SyncPlan, prune: boolean) {
  return {
    suite: suite ?? null,
    settings: settings ? { changes: settings.changes, kept: settings.kept } : null,
    created: created.map(({ id, title }) => ({ id: id ?? null, title })),
    changed: changed.map(({ id, title, changes }) => ({ id, title, changes })),
    unchanged,
    onlyInService: others,
    prune,
  }
}

function doneJson({ suiteId, isNew, isUndone = false, outcomes, changed, deleted }: SyncDone) {
  const cases = outcomes.map(({ form, kind, id, code, message }: CaseOutcome) => ({
    title: form.title,
    outcome: kind,
    id: id ?? null,
    code: code ?? null,
    message: message ?? null,
  }))
  return { suiteId, isNew, isUndone, cases, changed, deleted }
}

function print(value: object): void {
  process.stdout.write(`${jsonText(value)}\n`)
}
