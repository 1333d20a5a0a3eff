import { contract } from '../../api/contract/contract.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { allTools } from '../../api/client/errors/api-error.ts'
import { createCases, outcomeCounts, type BatchOptions, type CaseOutcome } from '../../domain/suites/batch.ts'
import { DUPLICATE_POLICIES, type DuplicatePolicy } from '../../domain/suites/duplicates.ts'
import type { CaseForm } from '../../domain/suites/case-form.ts'
import { caseOfServer, caseOfTool } from '../../domain/suites/templates.ts'
import { plural } from '../../lib/format.ts'
import type { EditedFile } from '../../components/editor/editor-host.ts'
import { withProblems } from '../../components/editor/marked-text.ts'
import { choiceField, optionsOf } from '../../components/form/form-dialog.tsx'
import { isResendable } from './outcomes.tsx'
import type { ActOf } from '../../hooks/use-write.tsx'
import type { Authoring } from './use-authoring.ts'

/** Lines above new cases in the editor. */
export const NEW_CASES = [
  'New cases, checked when you save and leave. Several are parted by a line with ---, up to a hundred.',
  'Empty the file to leave without creating any.',
]

function creation(
  { client, projectId }: Authoring,
  suite: EvalSuite,
  forms: readonly CaseForm[],
  options: BatchOptions = {},
): ActOf<readonly CaseOutcome[]> {
  return {
    endpoint: contract.cases.createBatch,
    start: `Creating ${plural(forms.length, 'case')}…`,
    work: () => createCases(client, { projectId, suiteId: suite.id }, forms, options),
    done: all => ({
      tone: all.some(({ kind }) => kind === 'failed') ? 'warn' : 'ok',
      text: `Cases: ${outcomeCounts(all)}.`,
    }),
  }
}

/**
 * Shows the outcomes of cases, if there is anything to do about them. Failed cases can be corrected on their own and
 * sent again; if the person leaves, they are offered when new cases are written the next time.
 */
export async function afterwards(
  authoring: Authoring,
  suite: EvalSuite,
  outcomes: readonly CaseOutcome[],
): Promise<void> {
  const failed = outcomes.filter(({ kind }) => kind === 'failed')
  if (failed.length === 0 && outcomes.every(({ code }) => code === undefined)) return
  const answer = await authoring.showOutcomes(outcomes)
  if (answer === 'resend') {
    await keepFailed(
      authoring,
      suite,
      failed.filter(each => !isResendable(each)),
    )
    return await resend(authoring, suite, failed.filter(isResendable))
  }
  await keepFailed(authoring, suite, failed)
  if (answer === 'correct') return await correct(authoring, suite)
  if (failed.length > 0) authoring.tell('warn', `Failed cases are saved; write new cases to continue with them.`)
}

function failedFile(authoring: Authoring, suite: EvalSuite): EditedFile {
  return { key: authoring.keyOf(suite.id, 'failed cases'), fileName: 'failed-cases.yaml' }
}

/** Stores refused cases, with the service's reasons. */
async function keepFailed(authoring: Authoring, suite: EvalSuite, failed: readonly CaseOutcome[]): Promise<void> {
  if (failed.length === 0) return
  const [{ writeCases }, { readYaml }] = await Promise.all([
    import('../../domain/suites/case-form.ts'),
    import('../../lib/yaml/yaml-reading.ts'),
  ])
  const file = failedFile(authoring, suite)
  const text = authoring.keptTexts.joined(file, writeCases(failed.map(({ form }) => form)))
  const read = readYaml(text)
  const documents = read.ok ? read.value.slice(-failed.length) : []
  const problems = documents.flatMap((document, index) => {
    const { code, message } = failed[index]!
    return [{ ...document.at(['title']), message: `${code}: ${message ?? ''}`.replaceAll(/\s+/g, ' ') }]
  })
  authoring.keptTexts.put(file, withProblems(text, problems))
}

/** Opens only the refused cases in the editor. */
async function correct(authoring: Authoring, suite: EvalSuite): Promise<void> {
  await writeFrom(authoring, suite, failedFile(authoring, suite), '')
}

/** Asks for a duplicate policy and its reason, and sends cases again with it. */
async function resend(authoring: Authoring, suite: EvalSuite, failed: readonly CaseOutcome[]): Promise<void> {
  const { ask } = authoring
  const answers = await ask({
    title: `Send ${plural(failed.length, 'case')} again?`,
    fields: [
      choiceField('policy', 'policy', optionsOf(DUPLICATE_POLICIES.filter(policy => policy !== 'block')), {
        required: true,
        initial: 'warn',
        note: 'Both create the case even if another one does the same; warn adds a warning.',
      }),
      { id: 'reason', label: 'reason', required: true, note: 'Stored with the cases.' },
    ],
    effect: () => [{ text: 'The cases that failed are sent again; the others stay as they are.', tone: 'plain' }],
    act: `Send ${plural(failed.length, 'case')}`,
  })
  const forms = failed.map(({ form }) => form)
  const outcomes =
    answers &&
    (await authoring.write(
      creation(authoring, suite, forms, {
        duplicatePolicy: answers['policy'] as DuplicatePolicy,
        overrideReason: answers['reason']?.trim(),
      }),
    ))
  if (outcomes) await afterwards(authoring, suite, outcomes)
  else await keepFailed(authoring, suite, failed)
}

/** Opens the editor on cases, and creates the result. */
export async function write(
  authoring: Authoring,
  suite: EvalSuite,
  draft: { key: string; forms: readonly CaseForm[]; about: readonly string[] },
): Promise<void> {
  const { writeCases } = await import('../../domain/suites/case-form.ts')
  const file = { key: authoring.keyOf(suite.id, draft.key), fileName: 'new-cases.yaml' }
  await writeFrom(authoring, suite, file, writeCases(draft.forms, draft.about))
}

async function writeFrom(authoring: Authoring, suite: EvalSuite, file: EditedFile, text: string): Promise<void> {
  const { readCases } = await import('../../domain/suites/case-form.ts')
  const { doubts } = authoring
  const edited = await authoring.edit({ ...file, what: 'new cases', text, read: readCases, doubts })
  if (!edited) return
  const sent = await authoring.sendEdited(edited, creation(authoring, suite, edited.value))
  if (sent === 'correct') await writeFrom(authoring, suite, file, text)
  else if (sent) await afterwards(authoring, suite, sent.value)
}

/** Adds cases from a template; if failed cases are stored, it continues with those instead. */
export async function add(authoring: Authoring, suite: EvalSuite): Promise<void> {
  if (authoring.keptTexts.has(failedFile(authoring, suite))) return await correct(authoring, suite)
  const { client, projectId } = authoring
  const detail = await authoring.read('Reading the suite…', call =>
    client.suites.get({ projectId, suiteId: suite.id }, call),
  )
  if (!detail) return
  const [serverName] = detail.environment?.servers ?? []
  await write(authoring, suite, { key: 'new cases', forms: [caseOfServer(serverName)], about: NEW_CASES })
}

/**
 * Asks for a server, if there are several, and one of its tools; resolves to a case made from the tool's input schema.
 */
export async function chooseTool(authoring: Authoring, title: string): Promise<CaseForm | undefined> {
  const { client, projectId, tell } = authoring
  const servers = await authoring.read('Reading the servers…', call =>
    client.items(contract.servers.list, { projectId }, call),
  )
  if (!servers) return undefined
  const server = await chosen(authoring, `${title}: its server`, 'server', servers)
  if (!server) {
    if (servers.length === 0) tell('warn', 'This project has no server.')
    return undefined
  }
  const tools = await authoring.read(`Reading the tools of ${server.name}…`, async call =>
    allTools(await client.servers.export({ projectId, serverId: server.id }, call)),
  )
  if (!tools) return undefined
  if (tools.length === 0) {
    tell('warn', `${server.name} has no tool.`)
    return undefined
  }
  const tool = await chosen(authoring, `${title}: a tool of ${server.name}`, 'tool', tools)
  return tool && caseOfTool({ serverName: server.name, toolName: tool.name, inputSchema: tool.inputSchema })
}

/** Asks which of several servers or tools to use; a single one is used without a question. */
async function chosen<Thing extends { name: string; description?: unknown }>(
  { ask }: Authoring,
  title: string,
  what: 'server' | 'tool',
  things: readonly Thing[],
): Promise<Thing | undefined> {
  if (what === 'server' && things.length < 2) return things[0]
  const options = things.map(({ name, description }) => ({
    value: name,
    label: name,
    ...(typeof description === 'string' && { detail: description }),
  }))
  const answers = await ask({
    title,
    fields: [choiceField('name', what, options, { required: true })],
    effect: () => [{ text: EFFECTS[what], tone: 'muted' }],
    act: 'Go on',
  })
  return answers && things.find(({ name }) => name === answers['name'])
}

const EFFECTS = {
  server: 'The server is connected to read its tools.',
  tool: 'Your editor opens with a case that calls it; nothing is sent before that is saved.',
}

/** Adds a case that is based on a tool. */
export async function addOfTool(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const form = await chooseTool(authoring, 'New case from a tool')
  if (form) await write(authoring, suite, { key: 'case of a tool', forms: [form], about: NEW_CASES })
}
