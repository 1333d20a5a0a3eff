import { ITERATIONS } from '../../../domain/runs/launch-rules.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { clean } from '../../../tui/theme/text.ts'
import type { FieldInput, FieldOption } from '../../../components/form/field-input.ts'
import { optionsOf } from '../../../components/form/form-dialog.tsx'
import type { FormFieldLook } from '../../../components/form/form-field.tsx'
import { PASS_RATE, type DraftedLaunch, type DraftField, type LaunchDraft } from './draft.ts'
import { environmentName, holderName, type LaunchFacts } from './facts.ts'
import { actSentence, isFull } from './labels.ts'

/** A field of the launch form: one of the draft, the first line, a menu, or `offered`, which sets the model. */
export type LaunchFormField = FormFieldLook & { id: DraftField | 'lead' | 'offered' | 'slots' | 'elsewhere' }

/** Errors and models that a refusal adds to the form. */
export type Refused = { errors: Partial<Record<string, string>>; hostedModels: readonly string[]; needsGrant: boolean }

export type MenuPick = (value: string) => void | Promise<void>

/** Values of menus; the id of a run follows `go` and `cancel`. */
export const PICK = { wait: 'wait', go: 'go ', cancel: 'cancel ', servers: 'servers', settings: 'settings' }

/** Headings of the fields that make this run different, and of other fields. */
const CHANGES = 'Change for this run'
const BESIDE = 'Beside the run'

const AS_IN_CASES = 'as in each case'

/** Returns the fields that apply to this suite and this draft, in order. */
export function launchFields(
  facts: LaunchFacts,
  draft: LaunchDraft,
  launch: DraftedLaunch,
  refused: Refused,
  onPick: MenuPick,
): LaunchFormField[] {
  const errors: Partial<Record<string, string>> = { ...refused.errors, ...launch.errors }
  const field = (id: LaunchFormField['id'], label: string, kind: string, more: MoreOfField = {}): LaunchFormField => ({
    id,
    label,
    kind,
    required: more.required ?? false,
    note: more.note,
    error: errors[id],
    ...(more.empty !== undefined && { empty: more.empty }),
    ...(more.input && { input: more.input }),
  })
  const fields = [
    field('lead', 'As configured', `goes to: ${actSentence(facts, launch)}`, { input: { kind: 'lead' } }),
    environmentField(facts, field),
    clientField(facts, field),
    serverField(facts, draft, launch, field),
    field('model', 'Model', 'one for every case', {
      empty: AS_IN_CASES,
      note: 'A hosted model (provider/name) runs on the organization’s credits; any other needs a key of your own.',
    }),
    refused.hostedModels.length > 0 &&
      field('offered', 'Offered models', 'of that provider', {
        input: { kind: 'choice', options: optionsOf(refused.hostedModels), none: 'none taken' },
      }),
    ...keyFields(draft, field),
    field('iterations', 'Iterations', `of every case, ${ITERATIONS.least} to ${ITERATIONS.most}`, {
      input: { kind: 'number', ...ITERATIONS, whole: true },
      empty: AS_IN_CASES,
    }),
    ...caseFields(facts, draft, field),
    ...matchFields(field),
    field('passRate', 'Minimum pass rate', 'for this run', {
      input: { kind: 'number', ...PASS_RATE, whole: false },
      empty: 'as in the suite',
      note: 'Up to 1 it is a share, above that a percentage.',
    }),
    field('withoutSkills', 'Leave skills out', '', { input: { kind: 'toggle' } }),
    field('notes', 'Notes', 'stored with the run', { empty: 'none', input: { kind: 'lines' } }),
    field('follow', 'Follow it', 'in the header of every screen', { input: { kind: 'toggle' } }),
    slotField(facts, errors['slots'], field, onPick),
    elsewhereField(refused.needsGrant, field, onPick),
  ]
  const shown = fields.filter(each => each !== false && each !== undefined)
  return shown.map((each, index) => {
    const heading = index === 1 ? CHANGES : each.id === 'follow' ? BESIDE : undefined
    return heading === undefined ? each : { ...each, heading }
  })
}

type MoreOfField = Partial<Pick<LaunchFormField, 'note' | 'input' | 'required' | 'empty'>>

type MakeField = (id: LaunchFormField['id'], label: string, kind: string, more?: MoreOfField) => LaunchFormField

function environmentField(facts: LaunchFacts, field: MakeField): LaunchFormField | undefined {
  const attached = facts.suite.environmentIds ?? []
  const known = new Set(attached)
  const others = facts.environments.filter(({ id, archived }) => !known.has(id) && !archived)
  if (attached.length === 0 && others.length === 0) return undefined
  const live = new Set(facts.environments.map(({ id }) => id))
  const options: FieldOption[] = [
    ...attached.map(id => ({
      value: id,
      label: environmentName(facts, id),
      detail: facts.unread.environments || live.has(id) ? 'attached' : 'attached; archived or gone',
    })),
    ...others.map(({ id }) => ({
      value: id,
      label: environmentName(facts, id),
      detail: 'not attached: the launch attaches it first',
    })),
  ]
  const [only] = attached
  const none =
    attached.length > 1
      ? 'none chosen'
      : only === undefined
        ? 'none: the saved servers'
        : `${environmentName(facts, only)}, used automatically`
  return field('environments', 'Environments', 'several are a run group', {
    required: attached.length > 1,
    input: { kind: 'choices', options, none },
  })
}

function clientField({ suite }: LaunchFacts, field: MakeField): LaunchFormField | undefined {
  const clients = suite.hosts ?? []
  if (clients.length === 0) return undefined
  const options = clients.map(({ id, name, servers }) => ({
    value: id,
    label: name,
    ...(servers?.length && { detail: servers.map(clean).join(', ') }),
  }))
  const isUsed = clients.length === 1 && (suite.environmentIds ?? []).length === 0
  const none = isUsed ? `${clean(clients[0]!.name)}, used automatically` : 'none chosen'
  return field('clients', 'Clients', 'several are a run group', { input: { kind: 'choices', options, none } })
}

/** Returns the field for servers, which can be chosen only if no environment brings its own. */
function serverField(
  facts: LaunchFacts,
  draft: LaunchDraft,
  { targets }: DraftedLaunch,
  field: MakeField,
): LaunchFormField | undefined {
  const hasEnvironment = targets.environmentIds.length > 0 || (facts.suite.environmentIds ?? []).length > 0
  if (hasEnvironment && draft.servers === '') return undefined
  const saved = (facts.suite.environment?.servers ?? []).map(clean)
  const options = facts.servers.map(({ id, name, enabled }) => ({
    value: id,
    label: name,
    ...(!enabled && { detail: 'switched off' }),
  }))
  return field('servers', 'Servers', 'others, for this run', {
    required: saved.length === 0 && targets.clientIds.length === 0,
    input: { kind: 'choices', options, none: saved.length > 0 ? `the saved ones: ${saved.join(', ')}` : 'none saved' },
  })
}

/** Returns the fields for a key, which only a custom model needs. */
function keyFields({ model, key }: LaunchDraft, field: MakeField): LaunchFormField[] {
  if (model.trim() === '' && key === '') return []
  return [
    field('key', 'Model key', 'of your own, for this launch only', {
      input: { kind: 'secret' },
      note: 'Kept in memory until the launch is sent, and written nowhere.',
    }),
    field('keyProvider', 'Key is for', 'provider', { note: 'As the service calls it, such as openai or anthropic.' }),
  ]
}

function caseFields(facts: LaunchFacts, draft: LaunchDraft, field: MakeField): LaunchFormField[] {
  const { cases, marked, lastEnded, failedLast } = facts
  const options: FieldOption[] = [
    { value: 'all', label: `all ${formatCount(cases.length)}` },
    ...(marked.length > 0 ? [{ value: 'marked', label: `the ${plural(marked.length, 'marked case')}` }] : []),
    ...(lastEnded
      ? [
          {
            value: 'failed',
            label: 'those that did not pass last time',
            detail: `${lastEnded.runNumber == null ? '' : `run #${lastEnded.runNumber}`}${
              failedLast ? `: ${plural(failedLast.length, 'case')}` : ''
            }`,
          },
        ]
      : []),
    { value: 'some', label: 'some of them' },
  ]
  const some = field('someCases', 'Which cases', plural(cases.length, 'case'), {
    input: {
      kind: 'choices',
      options: cases.map(({ id, title }) => ({ value: id, label: title })),
      none: 'none chosen',
    },
  })
  const choice = field('cases', 'Cases', '', { input: { kind: 'choice', options } })
  return draft.cases === 'some' ? [choice, some] : [choice]
}

const AS_CONFIGURED = { value: '', label: 'as configured' }

function matchFields(field: MakeField): LaunchFormField[] {
  const choice = (options: Record<string, string>): FieldInput => ({
    kind: 'choice',
    options: [AS_CONFIGURED, ...Object.entries(options).map(([value, detail]) => ({ value, label: value, detail }))],
  })
  return [
    field('order', 'Order of tool calls', '', {
      input: choice({
        any: 'in any order',
        'in-order': 'in this order, others in between',
        exact: 'exactly these, in this order',
      }),
    }),
    field('extraCalls', 'Extra tool calls', 'maximum, or unlimited', { empty: AS_CONFIGURED.label }),
    field('arguments', 'Arguments', '', {
      input: choice({
        ignore: 'not compared',
        partial: 'at least the expected ones',
        exact: 'exactly the expected ones',
      }),
    }),
  ]
}

/** Lists the runs that hold the slots, to open them; at the limit also what can be done about it. */
function slotField(
  facts: LaunchFacts,
  error: string | undefined,
  field: MakeField,
  onPick: MenuPick,
): LaunchFormField | undefined {
  const { inFlight, slots } = facts
  const isHeld = error !== undefined || isFull(facts)
  if (inFlight.length === 0 && !isHeld) return undefined
  const options: FieldOption[] = [
    ...(isHeld ? [{ value: PICK.wait, label: 'Wait for a free slot, then launch' }] : []),
    ...inFlight.map(holder => ({
      value: `${PICK.go}${holder.runId}`,
      label: `Go to ${holderName(holder)}`,
      ...(holder.status !== undefined && { detail: clean(holder.status) }),
    })),
    ...(isHeld
      ? inFlight.flatMap(holder =>
          holder.suiteId === undefined
            ? []
            : [{ value: `${PICK.cancel}${holder.runId} ${holderName(holder)}`, label: `Cancel ${holderName(holder)}` }],
        )
      : []),
  ]
  const kind = `${inFlight.length} in use${slots === undefined ? '' : ` of ${slots}`}`
  const held = field('slots', 'Run slots', kind, { input: { kind: 'menu', options, onPick } })
  return isHeld && error === undefined
    ? { ...held, error: 'All run slots seem to be held: a launch is refused until one of these runs has ended.' }
    : held
}

function elsewhereField(needsGrant: boolean, field: MakeField, onPick: MenuPick): LaunchFormField {
  const options: FieldOption[] = [
    ...(needsGrant ? [{ value: PICK.servers, label: 'Go to the servers, to import the tokens' }] : []),
    { value: PICK.settings, label: 'Go to the schedule and settings of the suite' },
  ]
  return field('elsewhere', 'Elsewhere', needsGrant ? 'a server needs a grant' : 'schedule, settings', {
    input: { kind: 'menu', options, onPick },
  })
}
