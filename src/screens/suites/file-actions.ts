import { dirname } from 'node:path'
import { contract } from '../../api/contract/contract.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { outcomeCounts } from '../../domain/suites/batch.ts'
import { keptWords } from '../../domain/suites/changes.ts'
import type { SuiteFile, WrittenSuite } from '../../domain/suites/suite-file.ts'
import type { SyncDone } from '../../domain/suites/sync-send.ts'
import { suiteOfServer } from '../../domain/suites/templates.ts'
import type { TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { clean } from '../../tui/theme/text.ts'
import { namedPath } from '../../lib/files/named-path.ts'
import type { ProjectNames } from '../../domain/suites/project-names.ts'
import type { SyncPlan } from '../../domain/suites/sync-plan.ts'
import type { EditedFile } from '../../components/editor/editor-host.ts'
import type { Line } from '../../components/viewer.tsx'
import type { ActOf } from '../../hooks/use-write.tsx'
import type { Authoring } from './use-authoring.ts'
import { afterwards, chooseTool } from './new-cases.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { plural } from '../../lib/format.ts'
import type { Tone } from '../../tui/theme/theme.ts'

/** Shows a suite that was just created or changed. */
type OnSuite = (suiteId: string) => void

const RELATIVE = 'Relative to the folder in which mcpdeck was started.'

/** Writes a suite with its cases to a file that the person names. */
export async function exportFile(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { confirm, ask, tell } = authoring
  const name = suite.name ?? suite.id
  const answers = await ask({
    title: `Write ${name} to a file`,
    fields: [{ id: 'file', label: 'file', required: true, initial: `${slug(name)}.yaml`, note: RELATIVE }],
    effect: () => [{ text: 'All settings and cases go into it, and no secrets.', tone: 'muted' }],
    act: 'Write the file',
  })
  if (!answers) return
  const path = namedPath(answers['file'] ?? '')
  const { isFile, writeTextFile } = await import('../../lib/yaml/text-files.ts')
  const isTaken = isFile(path)
  if (
    isTaken &&
    !(await confirm({ title: `Replace "${path}"?`, lines: ['The file already exists.'], action: 'Replace it' }))
  )
    return
  const text = await authoring.read(`Reading ${name}…`, () => exportText(authoring, suite.id))
  if (text === undefined) return
  try {
    writeTextFile(path, text)
    tell('ok', `${name} is in ${path}.`)
  } catch (error) {
    tell('error', `${path} cannot be written: ${systemErrorReason(error)}.`)
  }
}

/** Returns a suite with its cases as the text of a file. */
async function exportText(authoring: Authoring, suiteId: string): Promise<string> {
  const { client, projectId } = authoring
  const [{ readSuite }, { writeSuiteFile }] = await Promise.all([
    import('../../domain/suites/suite-store.ts'),
    import('../../domain/suites/suite-file.ts'),
  ])
  return writeSuiteFile(await readSuite(client, projectId, suiteId))
}

/** Imports a file that the person names, after showing a plan. */
export async function importFile(authoring: Authoring, onSuite: OnSuite): Promise<void> {
  const { ask, tell, showText } = authoring
  const answers = await ask({
    title: 'Import a suite file',
    fields: [{ id: 'file', label: 'file', required: true, note: RELATIVE }],
    effect: () => [{ text: 'A plan shows what it does before anything is sent.', tone: 'muted' }],
    act: 'Read the file',
  })
  if (!answers) return
  const path = namedPath(answers['file'] ?? '')
  const [{ filesBeside, readTextFile }, { readSuiteFile }] = await Promise.all([
    import('../../lib/yaml/text-files.ts'),
    import('../../domain/suites/suite-file.ts'),
  ])
  try {
    const text = readTextFile(path)
    const written = text.ok ? readSuiteFile(text.value, filesBeside(dirname(path))) : text
    const problems = written.ok ? await bring(authoring, written.value, onSuite) : written.problems
    if (problems.length > 0) showText(`${path} cannot be imported`, problems.map(problemLine))
  } catch (error) {
    tell('error', `${path} cannot be read: ${systemErrorReason(error)}.`)
  }
}

/** Shows what importing a file would do, and does it; resolves to the reasons why it cannot be imported. */
async function bring(authoring: Authoring, written: WrittenSuite, onSuite: OnSuite): Promise<readonly TextProblem[]> {
  const found = await planOf(authoring, written)
  if (!found || 'problem' in found) return found ? [found.problem] : []
  const doubts = await authoring.doubtsIn([written.document])
  const lines = doubts.map((doubt): Line => ({ text: problemLine(doubt), tone: 'warn' }))
  if ((await agreeToSync(authoring, found, lines)) !== 'agreed') return []
  const done = await authoring.write(importing(authoring, found))
  if (done) await shownAfter(authoring, written.file, done, onSuite)
  return []
}

type Planned = { plan: SyncPlan; names: ProjectNames }

/** Returns what importing a file would do; undefined if that could not be read. */
async function planOf(
  authoring: Authoring,
  { file, document }: WrittenSuite,
): Promise<Planned | { problem: TextProblem } | undefined> {
  const { client, projectId } = authoring
  const { placedObstacle, readPlan } = await import('../../domain/suites/suite-store.ts')
  const found = await authoring.read('Comparing the file with the service…', () =>
    readPlan(client, projectId, file, { duplicates: 'block' }),
  )
  return found && 'obstacle' in found ? { problem: placedObstacle(found, document) } : found
}

/** Asks with the plan, and with the probable mistakes in the file. */
async function agreeToSync(
  { review, tell, changeLines }: Authoring,
  { plan }: Planned,
  doubts: readonly Line[],
): Promise<'agreed' | 'declined' | 'settled'> {
  const { isSettled } = await import('../../domain/suites/sync-plan.ts')
  if (isSettled(plan, false)) {
    const kept = keptWords(plan.settings?.kept ?? [])
    if (kept === undefined) tell('ok', 'The service has all of the file already.')
    else tell('warn', `There is nothing else to change; ${kept}.`)
    return 'settled'
  }
  const agreed = await review({
    title: plan.suite ? `Import into ${plan.suite.name}?` : `Create the suite ${plan.file.suite.name}?`,
    lines: [...doubts, ...planLines(plan, changeLines)],
    action: plan.suite ? 'Send the changes' : 'Create the suite',
  })
  return agreed ? 'agreed' : 'declined'
}

/** Returns the act that carries out a plan. */
function importing({ client, projectId }: Authoring, { plan, names }: Planned): ActOf<SyncDone> {
  const { suites, cases } = contract
  const { name } = plan.file.suite
  return {
    endpoint: [suites.create, suites.update, suites.schedule, cases.createBatch, cases.update, cases.delete],
    confirm: 'done',
    start: `Importing ${name}…`,
    async work({ progress }) {
      const { sendSync } = await import('../../domain/suites/sync-send.ts')
      return await sendSync(client, projectId, plan, names, { prune: false, keepsPart: true, progress })
    },
    done: ending => doneWords(plan, ending),
  }
}

async function shownAfter(
  authoring: Authoring,
  { suite: { name } }: SuiteFile,
  { suiteId, outcomes }: SyncDone,
  onSuite: OnSuite,
): Promise<void> {
  onSuite(suiteId)
  await afterwards(authoring, { id: suiteId, name }, outcomes)
}

/** Adds a suite, written in the editor from a template for a tool of a server. */
export async function addSuite(authoring: Authoring, onSuite: OnSuite): Promise<void> {
  const file: EditedFile = { key: authoring.keyOf('new suite'), fileName: 'new-suite.yaml' }
  const { readSuiteFile, writeSuiteFile } = await import('../../domain/suites/suite-file.ts')
  // A stored draft is continued as it is; no tool is chosen for it again.
  const first = authoring.keptTexts.has(file) ? undefined : await chooseTool(authoring, 'First case of a new suite')
  const serverName = first?.steps[0]?.serverName
  if (!authoring.keptTexts.has(file) && serverName === undefined) return
  const template = first && serverName !== undefined ? suiteOfServer(serverName, first) : undefined
  const edited = await authoring.edit({
    ...file,
    what: 'the new suite',
    text: template ? writeSuiteFile(template, NEW_SUITE) : '',
    read: readSuiteFile,
    doubts: authoring.doubts,
  })
  if (!edited) return
  const found = await planOf(authoring, edited.value)
  if (!found) return edited.keep()
  if ('problem' in found) {
    if (await edited.refuse([found.problem])) await addSuite(authoring, onSuite)
    return
  }
  const answer = await agreeToSync(authoring, found, [])
  if (answer === 'declined') return edited.keep()
  if (answer === 'settled') return edited.discard()
  const sent = await authoring.sendEdited(edited, importing(authoring, found))
  if (sent === 'correct') await addSuite(authoring, onSuite)
  else if (sent) await shownAfter(authoring, edited.value.file, sent.value, onSuite)
}

const NEW_SUITE = ['A new suite; it is checked when you save and leave. Unchanged or emptied, nothing is created.']

/** Deletes a suite, after the person types a word. */
export async function removeSuite(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const name = suite.name ?? suite.id
  await authoring.write({
    endpoint: contract.suites.delete,
    confirm: {
      title: `Delete suite "${name}"?`,
      lines: ['All its cases and settings are deleted. Its runs keep their records.'],
      action: `Delete ${name}`,
      word: 'delete',
    },
    input: { projectId: authoring.projectId, suiteId: suite.id },
    start: `Deleting ${name}…`,
    done: () => `${name} deleted.`,
  })
}

/** Says what an import did. The suite matches its file only if the service kept nothing that the file leaves out. */
function doneWords(
  { file, others }: SyncPlan,
  { isNew, outcomes, changed, deleted, kept: fields }: SyncDone,
): { tone: 'ok' | 'warn'; text: string } {
  const { name } = file.suite
  const cases = [
    outcomes.length > 0 && outcomeCounts(outcomes),
    changed > 0 && `${changed} changed`,
    deleted > 0 && `${deleted} deleted`,
  ].filter(Boolean)
  const isWhole = outcomes.every(({ kind }) => kind !== 'failed')
  const kept = keptWords(fields)
  const isSame = isWhole && kept === undefined && others.length === 0
  const parts = [
    clean(isNew ? `${name} is created` : isSame ? `${name} matches the file` : `${name} is changed`),
    cases.length > 0 && `cases: ${cases.join(', ')}`,
    others.length > 0 && `${plural(others.length, 'case')} only in the service, left`,
    kept,
  ].filter(Boolean)
  return { tone: isWhole && kept === undefined ? 'ok' : 'warn', text: `${parts.join('; ')}.` }
}

function problemLine({ file, line, column, message }: TextProblem): string {
  return `${file === undefined ? '' : `${file}, `}line ${line}, column ${column}: ${message}`
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'suite'
  )
}

/** Returns what an import would do, in lines; nothing has been sent yet. */
function planLines(plan: SyncPlan, changeLines: Authoring['changeLines']): Line[] {
  const { suite, file, settings, created, changed, unchanged, others } = plan
  const schedule = suite ? settings?.schedule : file.suite.schedule
  return [
    suite
      ? { text: `The suite ${suite.name} is updated to match the file.`, tone: 'plain' }
      : { text: `A new suite ${file.suite.name} is created.`, tone: 'plain' },
    ...changeLines(settings?.changes ?? []),
    ...(settings?.kept ?? []).map((field): Line => ({
      text: `${field} stays as it is: it cannot be removed over the API.`,
      tone: 'warn',
      indent: 1,
    })),
    ...(schedule?.enabled
      ? [{ text: 'Its schedule launches runs by itself; each of them spends.', tone: 'warn' as const, indent: 1 }]
      : []),
    ...counted(created, 'to create', 'ok'),
    ...created.map((form): Line => ({ text: `+ ${form.title}`, indent: 1 })),
    ...counted(changed, 'to change', 'warn'),
    ...changed.flatMap(({ title, changes }): Line[] => [
      { text: `~ ${title}`, indent: 1 },
      ...changeLines(changes).map((line): Line => (typeof line === 'string' ? line : { ...line, indent: 3 })),
    ]),
    ...counted(unchanged, 'unchanged', 'muted'),
    ...(others.length > 0
      ? [
          {
            text:
              `${plural(others.length, 'case')} only in the service, left as ` +
              (others.length === 1 ? 'it is' : 'they are'),
            tone: 'muted' as const,
          },
          ...others.map(({ title }): Line => ({ text: `  ${title}`, tone: 'muted', indent: 1 })),
        ]
      : []),
  ]
}

/** Returns `2 cases to change`; nothing if there are none. */
function counted(cases: readonly unknown[], what: string, tone: Tone): Line[] {
  return cases.length > 0 ? [{ text: `${plural(cases.length, 'case')} ${what}`, tone }] : []
}
