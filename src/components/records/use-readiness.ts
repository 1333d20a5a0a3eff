import { unlessEnded } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { ReadinessRun, ReadinessRunReceipt } from '../../api/contract/readiness.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { DIRECTORIES, isRunning, directoryLabel, stateLook } from '../../domain/readiness/labels.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { YES } from '../form/field-input.ts'
import { choiceField, type FormSpec, type FormValues } from '../form/form-dialog.tsx'
import { ageColumn, lookColumn } from '../collection/plain-parts.ts'
import type { Column } from '../list/columns.ts'
import { useOpening } from '../opening.tsx'
import { useAskUntilDone } from './use-ask-until-done.ts'

/** Maximum number of runs that the list returns: it has no cursor to read more. */
export const MOST_RUNS = { limit: 100 } as const

/** Why a server cannot be graded. */
export const NO_ADDRESS = 'It has no address; directories list servers over HTTP.'

/**
 * Returns the columns of a readiness run: the app directory that it was graded for, its result and its start; `isOn` as
 * in {@link stateLook}.
 */
export function readinessColumns<Row>(
  symbols: Symbols,
  of: (row: Row) => { run: ReadinessRun; isOn: boolean | undefined },
): Column<Row>[] {
  return [
    { id: 'for', title: 'For', width: 6, cell: row => directoryLabel(of(row).run) },
    lookColumn(symbols, row => stateLook(of(row).run, of(row).isOn)),
    ageColumn('Age', row => of(row).run.createdAt),
  ]
}

/**
 * Asks which directory's rules to grade a server by and whether a model also observes it, shows the costs, and starts
 * the run. Without a server the form has a field for that too; `wanted` is the id of the initial one.
 */
export function useStartReadiness(projectId: string) {
  const { client, profile } = useWorkspace()
  const opening = useOpening(useRunTask())
  const askUntilDone = useAskUntilDone()
  return async (only?: ProjectServer, wanted?: string | null): Promise<ReadinessRunReceipt | undefined> => {
    const read = () => client.items(contract.servers.list, { projectId })
    const servers = only ? [only] : await opening({ start: 'Reading the servers…', work: read })
    const gradable = servers?.filter(({ url }) => url != null)
    if (!gradable) return undefined
    if (gradable.length === 0) throw new UnavailableAction('No server here has an address to check.')
    const serverOf = ({ serverId }: FormValues) => gradable.find(({ id }) => id === serverId) ?? gradable[0]!
    const keyOf = intentKeys()
    return await askUntilDone<AnyEndpoint, ReadinessRunReceipt>({
      form: () => startForm(gradable, { wanted: wanted ?? undefined, isLocal: profile.local, serverOf }),
      act(values) {
        const { id: serverId, name } = serverOf(values)
        const { directory } = values
        const own = { includeLlmObservations: values['observations'] === YES, idempotencyKey: keyOf(values) }
        const target = { projectId, serverId }
        return {
          endpoint: STARTS,
          confirm: 'done',
          work: ({ send }) =>
            directory === 'mcp-only' || directory === 'mcp-imported-skills'
              ? send(contract.readiness.startOpenAI, { ...target, body: { submissionMode: directory, ...own } })
              : send(contract.readiness.startClaude, { ...target, body: own }),
          start: `Starting to check ${name}…`,
          done: ({ deduped }) => (deduped ? `${name} is checked for that already.` : `${name} is being checked.`),
        }
      },
    })
  }
}

/** The writes that start a run. */
export const STARTS = [contract.readiness.startClaude, contract.readiness.startOpenAI]

/** Returns the same key while the form has the same values, so that repeating a lost start grades nothing twice. */
function intentKeys(): (values: FormValues) => string {
  const keys = new Map<string, string>()
  return values => {
    const content = JSON.stringify(values)
    const key = keys.get(content) ?? newIdempotencyKey()
    keys.set(content, key)
    return key
  }
}

function startForm(
  servers: readonly ProjectServer[],
  how: { wanted: string | undefined; isLocal: boolean; serverOf: (values: FormValues) => ProjectServer },
): FormSpec {
  const { wanted, isLocal, serverOf } = how
  const options = servers.map(({ id, name, url }) => ({ value: id, label: name, detail: url ?? '' }))
  const first = options.find(({ value }) => value === wanted) ?? options[0]!
  return {
    title: options.length > 1 ? 'Check a server for a directory' : `Check ${first.label} for a directory`,
    fields: [
      ...(options.length > 1
        ? [choiceField('serverId', 'Server', options, { required: true, initial: first.value })]
        : []),
      choiceField('directory', 'Directory', DIRECTORIES, {
        required: true,
        initial: 'claude',
        note: 'Whose rules, and for OpenAI what would be submitted.',
      }),
      {
        id: 'observations',
        label: 'Opinion of a model',
        note: 'It says where the tools may be misunderstood; this decides no check.',
        input: { kind: 'toggle' },
      },
    ],
    effect: values => [
      {
        text:
          `${isLocal ? 'This workspace' : 'The service'} connects to ${serverOf(values).url} and checks it ` +
          'against the rules; that is free.',
        tone: 'muted',
      },
      values['observations'] === YES
        ? { text: isLocal ? OBSERVED_HERE : OBSERVED_THERE, tone: 'warn' }
        : { text: 'Without an opinion no model is used, nothing is spent.', tone: 'muted' },
    ],
    act: 'Start checking',
  }
}

const OBSERVED_HERE = 'The opinion asks the model of this workspace once; its provider charges you for that.'
const OBSERVED_THERE =
  'The opinion consumes credits of the organization. The service reports neither their price nor what is left.'

/** Cancels a run, after describing the effect. */
export function useCancelReadiness(projectId: string): (run: ReadinessRun) => Promise<void> {
  const cancel = useWrite(contract.readiness.cancel)
  return async run => {
    if (!isRunning(run)) throw new UnavailableAction('It has ended.')
    await cancel({
      confirm: {
        title: 'Stop checking?',
        lines: ['There will be no result for the server. What a model has answered already is charged.'],
        action: 'Stop it',
        decline: 'Let it run',
      },
      work: ({ send }) => unlessEnded(send(contract.readiness.cancel, { projectId, runId: run.id })),
      start: 'Stopping the check…',
      done: stopped =>
        stopped
          ? `The check is ${stopped.status}.`
          : { tone: 'warn', text: 'Nothing was stopped: the check had already ended.' },
    })
  }
}
