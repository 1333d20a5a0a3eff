import { contract } from '../../api/contract/contract.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { Line } from '../../components/viewer.tsx'
import { choiceField, optionsOf } from '../../components/form/form-dialog.tsx'
import { keptWords } from '../../domain/suites/changes.ts'
import type { Authoring } from './use-authoring.ts'

/** Shortest and longest pause between scheduled runs, in minutes (schemas: EvalSuiteScheduleRequest). */
const INTERVAL = { least: 5, most: 10_080 }

/** Returns the actions on the settings of a suite. */
export function settingsActions(authoring: Authoring) {
  return {
    edit: (suite: EvalSuite) => editSettings(authoring, suite),
    schedule: (suite: EvalSuite) => setSchedule(authoring, suite),
    attach: (suite: EvalSuite) => attach(authoring, suite),
    detach: (suite: EvalSuite) => detach(authoring, suite),
  }
}

/** Reads the current suite, with the names of what it refers to. */
function readSuite({ client, projectId, read }: Authoring, suite: EvalSuite) {
  return read(`Reading ${suite.name ?? suite.id}…`, async () => {
    const { readNames } = await import('../../domain/suites/project-names.ts')
    const [detail, names] = await Promise.all([
      client.suites.get({ projectId, suiteId: suite.id }),
      readNames(client, projectId),
    ])
    return { detail, names }
  })
}

async function editSettings(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { projectId, edit, review, tell } = authoring
  const name = suite.name ?? suite.id
  const found = await readSuite(authoring, suite)
  if (!found) return
  const [{ formOfSuite, suiteChange }, { readSettings, writeSettings }] = await Promise.all([
    import('../../domain/suites/suite-form.ts'),
    import('../../domain/suites/suite-file.ts'),
  ])
  const from = formOfSuite(found.detail, found.names)
  const edited = await edit({
    key: authoring.keyOf(suite.id, 'settings'),
    fileName: 'suite-settings.yaml',
    what: `the settings of ${name}`,
    text: writeSettings(from, [`Settings of the suite; they are checked when you save and leave.`]),
    read: readSettings,
  })
  if (!edited) return
  const target = { projectId, suiteId: suite.id }
  const { edit: body, schedule, changes, kept } = suiteChange(from, edited.value, found.names)
  if (changes.length === 0) {
    if (kept.length > 0) edited.keep()
    else edited.discard()
    tell(
      kept.length > 0 ? 'warn' : 'ok',
      kept.length > 0 ? `${kept.join(', ')} cannot be removed over the API, only changed.` : 'Nothing was changed.',
    )
    return
  }
  const lines: Line[] = [
    { text: 'Only this is sent:', tone: 'muted' },
    ...authoring.changeLines(changes),
    ...kept.map((field): Line => ({
      text: `${field} stays as it is: it cannot be removed over the API.`,
      tone: 'warn',
      indent: 1,
    })),
    ...(schedule?.enabled
      ? [{ text: 'The schedule launches runs by itself; each of them spends.', tone: 'warn' as const }]
      : []),
  ]
  const agreed = await review({ title: `Change "${name}"?`, lines, action: 'Send the change' })
  if (!agreed) return edited.keep()
  const sent = await authoring.sendEdited(edited, {
    endpoint: [contract.suites.update, contract.suites.schedule],
    confirm: 'done',
    start: `Changing ${name}…`,
    work: async ({ send }) => {
      if (Object.keys(body).length > 0) await send(contract.suites.update, { ...target, body })
      if (!schedule) return true
      try {
        await send(contract.suites.schedule, { ...target, body: schedule })
      } catch (error) {
        if (Object.keys(body).length > 0) tell('warn', `${name} is changed, except for its schedule.`)
        throw error
      }
      return true
    },
    done: () =>
      kept.length === 0 ? `Changed ${name}.` : { tone: 'warn', text: `Changed ${name}; ${keptWords(kept)}.` },
  })
  if (sent === 'correct') await editSettings(authoring, suite)
}

/** Sets the recurring run: on or off, how often, and in which environment. */
async function setSchedule(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { projectId, ask } = authoring
  const found = await readSuite(authoring, suite)
  if (!found) return
  const { detail, names } = found
  const attached = (detail.environmentIds ?? []).map(names.environmentName)
  const now = detail.schedule
  const answers = await ask({
    title: `Schedule of ${suite.name ?? suite.id}`,
    fields: [
      choiceField('state', 'state', optionsOf(['on', 'off']), { required: true, initial: now?.enabled ? 'on' : 'off' }),
      {
        id: 'minutes',
        label: 'every',
        kind: `minutes, ${INTERVAL.least} to ${INTERVAL.most}`,
        initial: now?.intervalMinutes == null ? '' : String(now.intervalMinutes),
        input: { kind: 'number', ...INTERVAL, whole: true },
      },
      choiceField('environment', 'environment', [{ value: '', label: 'none named' }, ...optionsOf(attached)], {
        initial: now?.environmentId == null ? '' : names.environmentName(now.environmentId),
        note: attached.length > 1 ? 'This suite has several, so its schedule names one of them.' : '',
      }),
    ],
    effect: () => [{ text: 'A schedule that is on launches runs by itself; each of them spends.', tone: 'warn' }],
    act: 'Set the schedule',
  })
  if (!answers) return
  const { state, minutes = '', environment = '' } = answers
  const environmentId = environment === '' ? undefined : names.environmentId(environment)
  await authoring.write({
    endpoint: contract.suites.schedule,
    confirm: 'done',
    input: {
      projectId,
      suiteId: suite.id,
      body: {
        enabled: state === 'on',
        ...(minutes.trim() !== '' && { intervalMinutes: Number(minutes) }),
        ...(environmentId !== undefined && { environmentId }),
      },
    },
    start: 'Setting the schedule…',
    done: ({ schedule: set }) =>
      set?.enabled ? `The suite runs every ${set.intervalMinutes ?? 0} minutes.` : 'The schedule is off.',
  })
}

/** Attaches another environment; the existing ones stay. */
async function attach(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { projectId, ask, tell } = authoring
  const found = await readSuite(authoring, suite)
  if (!found) return
  const { detail, names } = found
  const attached = new Set(detail.environmentIds)
  const choices = names.environments.filter(({ id }) => !attached.has(id)).map(({ id }) => names.environmentName(id))
  if (choices.length === 0) return tell('warn', 'There is no other environment in this project.')
  const answers = await ask({
    title: 'Attach an environment',
    fields: [choiceField('environment', 'environment', optionsOf(choices), { required: true })],
    effect: () => [
      {
        text: 'With one environment attached every run goes through it; with several, each launch has to name one.',
        tone: 'plain',
      },
    ],
    act: 'Attach it',
  })
  if (!answers) return
  const { environment = '' } = answers
  const environmentId = names.environmentId(environment) ?? environment
  await authoring.write({
    endpoint: contract.suites.attachEnvironment,
    input: { projectId, suiteId: suite.id, body: { environmentId } },
    start: `Attaching ${environment}…`,
    done: ({ attached: isNew }) => (isNew ? `${environment} is attached.` : `${environment} was attached already.`),
  })
}

/** Detaches an environment; without any, the suite uses its saved servers. */
async function detach(authoring: Authoring, suite: EvalSuite): Promise<void> {
  const { projectId, ask, tell } = authoring
  const found = await readSuite(authoring, suite)
  if (!found) return
  const { detail, names } = found
  const ids = detail.environmentIds ?? []
  const choices = ids.map(names.environmentName)
  if (choices.length === 0) return tell('warn', 'No environment is attached.')
  const answers = await ask({
    title: 'Detach an environment',
    fields: [choiceField('environment', 'environment', optionsOf(choices), { required: true })],
    effect: () => [{ text: 'The environment itself stays as it is.', tone: 'muted' }],
    act: 'Go on',
  })
  if (!answers) return
  const { environment = '' } = answers
  const withoutIt = (all: readonly string[]) => all.filter(id => names.environmentName(id) !== environment)
  const rest = withoutIt(ids)
  const { enabled, environmentId } = detail.schedule ?? {}
  const isScheduled = enabled === true && environmentId != null && !rest.includes(environmentId)
  const target = { projectId, suiteId: suite.id }
  await authoring.write({
    endpoint: contract.suites.update,
    confirm: {
      title: `Detach "${environment}"?`,
      lines: [
        rest.length === 0
          ? 'No environment is left: runs then use the saved servers of the suite.'
          : `Left are ${rest.map(names.environmentName).join(', ')}.`,
        ...(isScheduled ? ['The schedule of the suite names it and launches nothing until it is set again.'] : []),
      ],
      action: `Detach ${environment}`,
    },
    async work({ send }) {
      // The whole list is sent, so that one attached by someone else while the question was open must not get lost.
      const { environmentIds } = await authoring.client.suites.get(target)
      const left = withoutIt(environmentIds ?? [])
      return await send(contract.suites.update, { ...target, body: { environmentIds: left.length > 0 ? left : null } })
    },
    start: `Detaching ${environment}…`,
    done: () =>
      isScheduled
        ? { tone: 'warn', text: `${environment} is detached; the schedule names it and has to be set again.` }
        : `${environment} is detached.`,
  })
}
