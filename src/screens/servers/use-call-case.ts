import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import { choiceField, useFormDialog } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useAskUntilDone } from '../../components/records/use-ask-until-done.ts'
import { callLogOf, type CallRecord } from '../../domain/calls/call-log.ts'
import { assertionLabel } from '../../domain/suites/assertion-labels.ts'
import { assertionsIn, caseOfCall } from '../../domain/suites/call-case.ts'
import type { CaseForm } from '../../domain/suites/case-form.ts'
import { SUITE_MODEL } from '../../domain/suites/templates.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import type { WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { runsRoute } from '../runs/route.ts'
import { INCOMPLETE } from './result-lines.ts'
import { callsKeys } from './bindings.ts'

/** A saved case, and whether its suite runs on the server that was called. */
type Saved = { suiteId: string; caseId: string; isOnServer: boolean }

/** What begins with it is the name of a suite that is created with the case. */
const NEW = 'new:'

/**
 * Saves a call as an eval case of a suite that is chosen or made; of a call that was saved, goes to its case.
 * @param onLeave called before the place changes
 */
export function useCallCase(projectId: string, onLeave?: () => void) {
  const { client } = useWorkspace()
  const router = useRouter()
  const ask = useFormDialog()
  const askUntilDone = useAskUntilDone()
  const opening = useOpening(useRunTask())
  const key = useKeyName()

  const save = async (record: CallRecord, form: CaseForm): Promise<void> => {
    const { serverId, serverName } = record
    const suites = await opening({
      start: 'Reading the suites…',
      work: signal => client.items(contract.suites.list, { projectId }, { signal }),
    })
    if (!suites) return
    const options = suiteOptions(suites, serverName)
    const saved = await askUntilDone<AnyEndpoint, Saved>({
      form: () => caseQuestion(form, options, serverName),
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
              ? saveInNew(task, { projectId, serverId, name }, named, options)
              : saveIn(task, { projectId, suiteId: suite, serverId, serverName }, named),
          start: `Saving ${named.title}…`,
          done: ({ isOnServer }) =>
            isOnServer
              ? `Saved ${named.title} in the suite ${name}. ${key(callsKeys, 'saveCase')} goes to it.`
              : { tone: 'warn', text: `Saved ${named.title} in ${name}, whose servers do not include ${serverName}.` },
        }
      },
    })
    if (saved) callLogOf(client).saved(record.id, saved)
  }

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

  return (record: CallRecord | undefined): KeyHandler | Unavailable => {
    if (!record) return unavailable('Nothing was called yet.')
    const { savedAs } = record
    if (savedAs)
      return () => {
        onLeave?.()
        router.go(runsRoute.to({ projectId, ...savedAs, middle: 'cases', pane: 'run' }))
      }
    if (record.kind !== 'tool') return unavailable('Only a call of a tool becomes an eval case.')
    const { outcome, serverName, target, input = {} } = record
    if (outcome.state === 'running') return unavailable('It has not ended yet.')
    if (record.incomplete) return unavailable(INCOMPLETE[record.incomplete] ?? '')
    if (outcome.state !== 'answered' || outcome.answer.kind !== 'tool')
      return unavailable('There is no result to assert anything of.')
    const form = caseOfCall({ serverName, toolName: target, args: input, result: outcome.answer.value })
    return () => save(record, form)
  }
}

function newSuite(name: string): FieldOption {
  return { value: `${NEW}${name}`, label: `${name} (new)` }
}

/** The suites there are, and a new one for the server where none has its name. */
function suiteOptions(suites: readonly EvalSuite[], serverName: string): FieldOption[] {
  const options = suites.map(({ id, name }) => ({ value: id, label: name ?? id }))
  const name = `${serverName} suite`
  return options.some(({ label }) => label === name) ? options : [newSuite(name), ...options]
}

function caseQuestion(form: CaseForm, options: readonly FieldOption[], serverName: string) {
  const own = options.find(({ label }) => label.startsWith(`${serverName} suite`))
  return {
    title: 'Save as eval case',
    fields: [
      { id: 'title', label: 'Title', required: true, initial: form.title },
      choiceField('suite', 'Suite', options, { required: true, initial: own?.value ?? '' }),
    ],
    effect: () => [
      { text: 'It repeats the call with its arguments and asserts:', tone: 'muted' as const },
      ...assertionsIn(form).map(assertion => ({ text: `  ${assertionLabel(assertion)}`, tone: 'muted' as const })),
    ],
    act: 'Save the case',
  }
}

type Target = { projectId: string; serverId: string; serverName: string }

async function saveIn({ send }: WriteTask, target: Target & { suiteId: string }, body: CaseForm): Promise<Saved> {
  const { projectId, suiteId } = target
  const suite = await send(contract.suites.get, { projectId, suiteId })
  const { id } = await send(contract.cases.create, { projectId, suiteId, body })
  return { suiteId, caseId: id, isOnServer: includesServer(suite, target) }
}

/** What environments of a suite include is not read here: they are given the benefit of the doubt. */
function includesServer(suite: EvalSuiteDetail, { serverId, serverName }: Target): boolean {
  if (suite.environmentIds && suite.environmentIds.length > 0) return true
  const servers = [suite.environment, ...(suite.hosts ?? [])].flatMap(each => each?.servers ?? [])
  return servers.includes(serverName) || servers.includes(serverId)
}

/** A suite that was created without the case is one of the options from then on. */
async function saveInNew(
  { send }: WriteTask,
  target: { projectId: string; serverId: string; name: string },
  form: CaseForm,
  options: FieldOption[],
): Promise<Saved> {
  const { projectId, serverId, name } = target
  const body = { name, serverIds: [serverId], model: SUITE_MODEL, tests: [form] }
  const { suiteId, caseUpsert } = await send(contract.suites.create, { projectId, body })
  const caseId = caseUpsert?.committed?.[0]?.id
  if (caseId == null) {
    options.unshift({ value: suiteId, label: name })
    const why = caseUpsert?.failed?.[0]?.error ?? 'the service does not say why.'
    throw new Error(`The suite ${name} was created without the case: ${why}`)
  }
  return { suiteId, caseId, isOnServer: true }
}
