import { contract } from '../../../api/contract/contract.ts'
import type { EvalSuite } from '../../../api/contract/suites.ts'
import { outcomeCounts } from '../../../api/authoring/batch.ts'
import type { SuiteFile } from '../../../api/authoring/suite-file.ts'
import type { SyncDone } from '../../../api/authoring/sync-send.ts'
import { suiteOfServer } from '../../../api/authoring/templates.ts'
import type { TextProblem } from '../../../api/authoring/yaml-reading.ts'
import { clean } from '../../../app/theme/text.ts'
import { namedPath } from '../../../api/named-path.ts'
import { whyNot } from '../../../api/machine-words.ts'
import { planLines } from './plan-lines.ts'
import { ASKED, type Authoring } from './use-authoring.ts'
import { afterwards, chooseTool } from './new-cases.ts'

/** Shows a suite that was just created or changed. */
type OnSuite = (suiteId: string) => void

const RELATIVE = 'Relative to the folder in which mcpdeck was started.'

/** Writes a suite with its cases to a file that the person names. */
export async function exportFile(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { confirm, ask, tell } = authoring
  const name = suite.name ?? suite.id
  const answers = await ask({
    title: `Write ${name} to a file`,
    fields: [
      {
        name: 'file',
        label: 'file',
        required: true,
        initial: `${slug(name)}.yaml`,
        note: RELATIVE,
      },
    ],
    effect: [{ text: 'All settings and cases go into it, and no secrets.', tone: 'muted' }],
    act: 'Write the file',
  })
  if (!answers) return
  const path = namedPath(answers.file)
  const { isFile, writeTextFile } = await import('../../../api/authoring/text-files.ts')
  const isTaken = isFile(path)
  if (
    isTaken &&
    !(await confirm({
      title: `Replace ${path}?`,
      lines: ['The file is there already.'],
      action: 'Replace it',
    }))
  )
    return
  const text = await authoring.read(`Reading ${name}…`, () => exportText(authoring, suite.id))
  if (text === undefined) return
  try {
    writeTextFile(path, text)
    tell('ok', `${name} is in ${path}.`)
  } catch (error) {
    tell('error', `${path} cannot be written: ${whyNot(error)}.`)
  }
}

/** A suite with its cases as the text of a file. */
async function exportText(authoring: Authoring, suiteId: string): Promise<string> {
  const { client, projectId } = authoring
  const [{ readSuite }, { writeSuiteFile }] = await Promise.all([
    import('../../../api/authoring/suite-store.ts'),
    import('../../../api/authoring/suite-file.ts'),
  ])
  return writeSuiteFile(await readSuite(client, projectId, suiteId))
}

/** Brings in a file that the person names, after a plan. */
export async function importFile(authoring: Authoring, onSuite: OnSuite): Promise<void> {
  const { ask, tell, showText } = authoring
  const answers = await ask({
    title: 'Import a suite file',
    fields: [{ name: 'file', label: 'file', required: true, note: RELATIVE }],
    effect: [{ text: 'A plan shows what it does before anything is sent.', tone: 'muted' }],
    act: 'Read the file',
  })
  if (!answers) return
  const path = namedPath(answers.file)
  const [{ readTextFile }, { readSuiteFile }] = await Promise.all([
    import('../../../api/authoring/text-files.ts'),
    import('../../../api/authoring/suite-file.ts'),
  ])
  try {
    const text = readTextFile(path)
    const file = text.ok ? readSuiteFile(text.value) : text
    if (file.ok) await sync(authoring, file.value, onSuite)
    else showText(`${path} cannot be imported`, file.problems.map(problemLine))
  } catch (error) {
    tell('error', `${path} cannot be read: ${whyNot(error)}.`)
  }
}

/** Shows what a file would do, and does it; answers whether it was done. */
async function sync(authoring: Authoring, file: SuiteFile, onSuite: OnSuite): Promise<boolean> {
  const { client, projectId, review, tell } = authoring
  const [{ isSettled }, { sendSync }, { readPlan }] = await Promise.all([
    import('../../../api/authoring/sync-plan.ts'),
    import('../../../api/authoring/sync-send.ts'),
    import('../../../api/authoring/suite-store.ts'),
  ])
  const found = await authoring.read('Comparing the file with the service…', () =>
    readPlan(client, projectId, file),
  )
  if (!found) return false
  if ('obstacle' in found) {
    tell('warn', found.obstacle)
    return false
  }
  const { names, plan } = found
  if (isSettled(plan, false)) {
    tell('ok', 'The service has all of the file already.')
    return true
  }
  const name = file.suite.name
  const agreed = await review({
    title: plan.suite ? `Import into ${plan.suite.name}?` : `Create the suite ${name}?`,
    lines: planLines(plan, authoring.changeLines),
    action: plan.suite ? 'Send the changes' : 'Create the suite',
  })
  if (!agreed) return false
  const { suites, cases } = contract
  const done = await authoring.write({
    endpoints: [suites.create, suites.update, suites.schedule, cases.createBatch, cases.update, cases.delete],
    start: `Importing ${name}…`,
    send: ({ progress }) => sendSync(client, projectId, plan, names, { prune: false, progress }),
    done: ending => doneWords(name, ending),
  })
  if (!done) return false
  onSuite(done.suiteId)
  const suite = { id: done.suiteId, name }
  await afterwards(authoring, suite, done.outcomes)
  return true
}

/** A new suite, written in the editor from a template over a tool of a server. */
export async function addSuite(authoring: Authoring, onSuite: OnSuite): Promise<void> {
  const { edit } = authoring
  const first = await chooseTool(authoring, 'First case of a new suite')
  const serverName = first?.steps[0]?.serverName
  if (!first || serverName === undefined) return
  const { readSuiteFile, writeSuiteFile } = await import('../../../api/authoring/suite-file.ts')
  const edited = await edit({
    key: authoring.keyOf('new suite'),
    fileName: 'new-suite.yaml',
    what: 'the new suite',
    text: writeSuiteFile(suiteOfServer(serverName, first), [
      'A new suite; it is checked when you save and leave. Unchanged or emptied, nothing is created.',
    ]),
    read: readSuiteFile,
  })
  if (!edited) return
  if (await sync(authoring, edited.value, onSuite)) edited.discard()
  else edited.keep()
}

/** Deletes a suite, after a typed word. */
export async function removeSuite(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { client, projectId, confirm } = authoring
  const name = suite.name ?? suite.id
  const agreed = await confirm({
    title: `Delete the suite ${name}?`,
    lines: ['All its cases and settings are deleted. Its runs keep their records.'],
    action: `Delete ${name}`,
    word: 'delete',
  })
  if (!agreed) return
  await authoring.write({
    endpoints: [contract.suites.delete],
    start: `Deleting ${name}…`,
    send: () => client.suites.delete({ projectId, suiteId: suite.id }, ASKED),
    done: () => `${name} deleted.`,
  })
}

function doneWords(name: string, { isNew, outcomes, changed, deleted }: SyncDone) {
  const cases = [
    outcomes.length > 0 && outcomeCounts(outcomes),
    changed > 0 && `${changed} changed`,
    deleted > 0 && `${deleted} deleted`,
  ].filter(Boolean)
  const isWhole = outcomes.every(({ kind }) => kind !== 'failed')
  const what = isNew ? `${name} is created` : `${name} is as the file says`
  return {
    tone: isWhole ? ('ok' as const) : ('warn' as const),
    text: `${clean(what)}${cases.length > 0 ? `; cases: ${cases.join(', ')}` : ''}.`,
  }
}

function problemLine({ line, column, message }: TextProblem): string {
  return `line ${line}, column ${column}: ${message}`
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'suite'
  )
}
