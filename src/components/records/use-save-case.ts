import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { assertionLabel } from '../../domain/suites/assertion-labels.ts'
import { assertionsIn } from '../../domain/suites/call-case.ts'
import type { CaseForm } from '../../domain/suites/case-form.ts'
import { SUITE_MODEL } from '../../domain/suites/templates.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import type { WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { FieldOption } from '../form/field-input.ts'
import { choiceField, useFormDialog } from '../form/form-dialog.tsx'
import { useOpening } from '../opening.tsx'
import { useAskUntilDone } from './use-ask-until-done.ts'

export type SavedCase = { suiteId: string; caseId: string; isOnServers: boolean }

/** The source of a case. */
export type CaseSource = {
  /** The servers of the case, at least one. */
  servers: readonly { id: string; name: string }[]
  /** The model of a suite created for it. */
  model?: string | undefined
  /** Describes the actions of the case, before its assertions. */
  does: string
  /** A sentence after saving, such as how to open it. */
  next?: string
}

/** A value with this prefix is the name of a suite that is created with the case. */
const NEW = 'new:'

/** Saves a case in a selected or new suite; resolves to undefined if it was not saved. */
export function useSaveCase(projectId: string): (form: CaseForm, source: CaseSource) => Promise<SavedCase | undefined> {
  const { client } = useWorkspace()
  const ask = useFormDialog()
  const askUntilDone = useAskUntilDone()
  const opening = useOpening(useRunTask())

  const makeSuite = async (): Promise<FieldOption | undefined> => {
    const values = await ask({
      title: 'New suite',
      about: [{ text: 'It is created together with the case.', tone: 'muted' }],
      fields: [{ id: 'name', label: 'Name', required: true }],
      act: 'Go on',
    })
    const name = values?.['name']?.trim()
    return name === undefined ? undefined : newSuite(name)
  }

  return async (form, source) => {
    const suites = await opening({
      start: 'Reading the suites…',
      work: signal => client.items(contract.suites.list, { projectId }, { signal }),
    })
    if (!suites) return undefined
    const { servers, next = '' } = source
    const called = servers.map(({ name }) => name).join(', ')
    const options = suiteOptions(suites, servers[0]!.name)
    return await askUntilDone<AnyEndpoint, SavedCase>({
      form: () => caseQuestion(form, options, source),
      making: [{ field: 'suite', label: 'another new suite…', make: makeSuite }],
      act(values) {
        const named = { ...form, title: values['title'] ?? form.title }
        const suite = values['suite'] ?? ''
        const isNew = suite.startsWith(NEW)
        const name = isNew ? suite.slice(NEW.length) : (options.find(({ value }) => value === suite)?.label ?? suite)
        return {
          endpoint: isNew ? contract.suites.create : contract.cases.create,
          work: task =>
            isNew
              ? saveInNew(task, { ...source, projectId, name }, named, options)
              : saveIn(task, { ...source, projectId, suiteId: suite }, named),
          start: `Saving ${named.title}…`,
          done: ({ isOnServers }) =>
            isOnServers
              ? `Saved ${named.title} in the suite ${name}. ${next}`.trim()
              : { tone: 'warn', text: `Saved ${named.title} in ${name}, whose servers do not include ${called}.` },
        }
      },
    })
  }
}

function newSuite(name: string): FieldOption {
  return { value: `${NEW}${name}`, label: `${name} (new)` }
}

/** Returns the existing suites, and a new one for the server unless one has its name. */
function suiteOptions(suites: readonly EvalSuite[], serverName: string): FieldOption[] {
  const options = suites.map(({ id, name }) => ({ value: id, label: name ?? id }))
  const name = `${serverName} suite`
  return options.some(({ label }) => label === name) ? options : [newSuite(name), ...options]
}

function caseQuestion(form: CaseForm, options: readonly FieldOption[], { servers, does }: CaseSource) {
  const own = options.find(({ label }) => label.startsWith(`${servers[0]!.name} suite`))
  return {
    title: 'Save as eval case',
    fields: [
      { id: 'title', label: 'Title', required: true, initial: form.title },
      choiceField('suite', 'Suite', options, { required: true, initial: own?.value ?? '' }),
    ],
    effect: () => [
      { text: `${does} and asserts:`, tone: 'muted' as const },
      ...assertionsIn(form).map(assertion => ({ text: `  ${assertionLabel(assertion)}`, tone: 'muted' as const })),
    ],
    act: 'Save the case',
  }
}

type Target = CaseSource & { projectId: string }

async function saveIn({ send }: WriteTask, target: Target & { suiteId: string }, body: CaseForm): Promise<SavedCase> {
  const { projectId, suiteId, servers } = target
  const suite = await send(contract.suites.get, { projectId, suiteId })
  const { id } = await send(contract.cases.create, { projectId, suiteId, body })
  return { suiteId, caseId: id, isOnServers: includesServers(suite, servers) }
}

/** Servers that environments of a suite include are not read here, so such suites are assumed to include them. */
function includesServers(suite: EvalSuiteDetail, servers: CaseSource['servers']): boolean {
  if (suite.environmentIds && suite.environmentIds.length > 0) return true
  const of = new Set([suite.environment, ...(suite.hosts ?? [])].flatMap(each => each?.servers ?? []))
  return servers.every(({ id, name }) => of.has(name) || of.has(id))
}

/** A suite that was created without the case becomes one of the options. */
async function saveInNew(
  { send }: WriteTask,
  target: Target & { name: string },
  form: CaseForm,
  options: FieldOption[],
): Promise<SavedCase> {
  const { projectId, servers, name, model = SUITE_MODEL } = target
  const body = { name, serverIds: servers.map(({ id }) => id), model, tests: [form] }
  const { suiteId, caseUpsert } = await send(contract.suites.create, { projectId, body })
  const caseId = caseUpsert?.committed?.[0]?.id
  if (caseId == null) {
    options.unshift({ value: suiteId, label: name })
    const why = caseUpsert?.failed?.[0]?.error ?? 'the service does not say why.'
    throw new Error(`The suite ${name} was created without the case: ${why}`)
  }
  return { suiteId, caseId, isOnServers: true }
}
