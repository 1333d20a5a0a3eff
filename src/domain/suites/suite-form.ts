import * as z from 'zod'
import { shape, strictBody } from '../../api/contract/shapes.ts'
import { EvalSuiteScheduleRequest, EvalSuiteUpdateRequest, type EvalSuiteDetail } from '../../api/contract/suites.ts'
import { isSameJson } from '../json/same-json.ts'
import { changesBetween, type Change } from './changes.ts'
import { defined } from '../../lib/json.ts'

/** A suite's settings as a person writes them: with names instead of ids, and without defaults. */
export const SuiteForm = shape(() => {
  const { settings, executionConfig } = EvalSuiteUpdateRequest().shape
  const { model, systemPrompt, temperature } = executionConfig.unwrap().shape
  const { enabled, intervalMinutes } = EvalSuiteScheduleRequest().shape
  const name = z.string().min(1)
  return strictBody({
    id: name.max(128).optional(),
    name,
    description: z.string().optional(),
    servers: z.array(name).optional(),
    model,
    systemPrompt,
    temperature,
    environments: z.array(name).optional(),
    clients: z.array(strictBody({ client: name, servers: z.array(name).optional() })).optional(),
    computerEnvironment: name.optional(),
    settings,
    schedule: strictBody({ enabled, intervalMinutes, environment: name.optional() }).optional(),
  })
})
export type SuiteForm = z.infer<typeof SuiteForm>
type Settings = NonNullable<SuiteForm['settings']>
type SuiteEdit = z.input<typeof EvalSuiteUpdateRequest>
type ScheduleEdit = z.input<typeof EvalSuiteScheduleRequest>

/** Maps between names and ids of a project's things. The id is used if there is no name. */
export type Names = {
  serverId: (text: string) => string | undefined
  environmentId: (text: string) => string | undefined
  environmentName: (id: string) => string
  serverName: (id: string) => string
}

type Named = { id: string; name?: string | null | undefined }

/** Returns names of things. A name that several share is not used, because the service could not tell them apart. */
export function namesOf(servers: readonly Named[], environments: readonly Named[]): Names {
  const idIn = (things: readonly Named[]) => (text: string) => {
    const called = things.filter(({ name }) => name === text)
    return things.find(({ id }) => id === text)?.id ?? (called.length === 1 ? called[0]!.id : undefined)
  }
  const nameIn = (things: readonly Named[]) => (id: string) => {
    const name = things.find(each => each.id === id)?.name
    return name && idIn(things)(name) === id ? name : id
  }
  return {
    serverId: idIn(servers),
    serverName: nameIn(servers),
    environmentId: idIn(environments),
    environmentName: nameIn(environments),
  }
}

/** Returns the form in a fixed order of fields without defaults, so that equivalent forms are equal. */
export function normalSuite(form: SuiteForm): SuiteForm {
  const { id, name, description, model, systemPrompt, temperature, computerEnvironment, schedule } = form
  const settings = form.settings && normalSettings(form.settings)
  const filled = <T>(list: readonly T[] | undefined) => (list && list.length > 0 ? [...list] : undefined)
  const [servers, environments] = [filled(form.servers), filled(form.environments)]
  const clients = filled(form.clients)
  return {
    ...(id !== undefined && { id }),
    name,
    ...(description && { description }),
    ...defined({ servers, model, systemPrompt: systemPrompt || undefined, temperature }),
    ...defined({ environments, clients, computerEnvironment }),
    ...(settings && Object.keys(settings).length > 0 && { settings }),
    ...(schedule && { schedule: normalSchedule(schedule) }),
  }
}

/** Returns a stored suite as a form. `id` is its id in the file. */
export function formOfSuite(detail: EvalSuiteDetail, names: Names, id?: string): SuiteForm {
  const { name, description, environment, executionConfig, hosts, environmentIds, settings, schedule } = detail
  const { enabled, intervalMinutes, environmentId } = schedule ?? {}
  const isScheduled = enabled === true || intervalMinutes != null
  return normalSuite({
    ...(id !== undefined && { id }),
    name: name ?? detail.id,
    ...(description != null && { description }),
    servers: environment?.servers ?? [],
    ...present({ ...executionConfig }, ['model', 'systemPrompt', 'temperature']),
    environments: (environmentIds ?? []).map(names.environmentName),
    clients: (hosts ?? []).map(host => ({ client: host.name, ...(host.servers && { servers: host.servers }) })),
    ...(environment?.computerEnvironment && { computerEnvironment: environment.computerEnvironment.id }),
    settings: {
      ...present({ ...settings }, ['minimumAccuracy', 'minimumIterations', 'matchOptions', 'checks']),
      ...(settings?.judge && { judge: present(settings.judge, ['enabled', 'model', 'autoRun', 'threshold']) }),
    },
    ...(isScheduled && {
      schedule: {
        enabled: enabled ?? false,
        ...(intervalMinutes != null && { intervalMinutes }),
        ...(environmentId != null && { environment: names.environmentName(environmentId) }),
      },
    }),
  })
}

/**
 * The request that changes a suite from one form to another. It contains only the parts that differ; `kept` names the
 * fields that the contract cannot clear.
 */
export type SuiteChange = {
  edit: SuiteEdit
  schedule: ScheduleEdit | undefined
  changes: readonly Change[]
  /** Fields that the new form leaves out but the service keeps. */
  kept: readonly string[]
}

export function suiteChange(from: SuiteForm, to: SuiteForm, names: Names): SuiteChange {
  const { id: _from, ...before } = withCalledNames(normalSuite(from), names)
  const { id: _to, ...wanted } = withCalledNames(normalSuite(to), names)
  const { kept, form: after } = withKept(before, wanted)
  const differs = (name: keyof SuiteParts): boolean => !isSameJson(before[name], after[name])
  const own = {
    ...(differs('model') && { model: after.model }),
    ...(differs('systemPrompt') && { systemPrompt: after.systemPrompt ?? '' }),
    ...(differs('temperature') && { temperature: after.temperature }),
  }
  const place = {
    ...(differs('servers') && { servers: after.servers ?? [] }),
    ...(differs('computerEnvironment') && { computerEnvironment: after.computerEnvironment ?? null }),
  }
  const settings = settingsEdit(before.settings ?? {}, after.settings ?? {})
  const edit: SuiteEdit = {
    ...(differs('name') && { name: after.name }),
    ...(differs('description') && { description: after.description ?? '' }),
    ...(hasAny(place) && { environment: place }),
    ...(differs('environments') && { environmentIds: environmentIds(after, names) }),
    ...(hasAny(own) && { executionConfig: own }),
    ...(differs('clients') && { hosts: hostsOf(after) }),
    ...(hasAny(settings) && { settings }),
  }
  const schedule = differs('schedule') ? scheduleEdit(after.schedule, names) : undefined
  return { edit, schedule, changes: changesBetween(before, after), kept }
}

type SuiteParts = Omit<SuiteForm, 'id'>

/** Replaces servers and environments by their unique names, however they were written. */
function withCalledNames(form: SuiteForm, names: Names): SuiteForm {
  const { servers, environments, schedule } = form
  const environment = (text: string) => names.environmentName(names.environmentId(text) ?? text)
  return normalSuite({
    ...form,
    ...(servers && { servers: servers.map(text => names.serverName(names.serverId(text) ?? text)) }),
    ...(environments && { environments: environments.map(environment) }),
    ...(schedule?.environment !== undefined && {
      schedule: { ...schedule, environment: environment(schedule.environment) },
    }),
  })
}

/** Restores fields that the contract cannot clear. `kept` lists those that a form tried to clear. */
function withKept(before: SuiteParts, wanted: SuiteParts): { form: SuiteParts; kept: readonly string[] } {
  const kept: string[] = []
  const keep = <T>(name: string, was: T | undefined, is: T | undefined): T | undefined => {
    if (was !== undefined && is === undefined) kept.push(name)
    return is ?? was
  }
  const [had, has] = [before.settings ?? {}, wanted.settings ?? {}]
  const form = {
    ...wanted,
    model: keep('model', before.model, wanted.model),
    temperature: keep('temperature', before.temperature, wanted.temperature),
    settings: {
      ...has,
      minimumAccuracy: keep('settings.minimumAccuracy', had.minimumAccuracy, has.minimumAccuracy),
      judge: {
        ...has.judge,
        model: keep('settings.judge.model', had.judge?.model, has.judge?.model),
        threshold: keep('settings.judge.threshold', had.judge?.threshold, has.judge?.threshold),
      },
    },
  }
  return { form: normalSuite(form), kept }
}

function environmentIds({ environments }: SuiteParts, names: Names): string[] | null {
  return environments?.map(text => names.environmentId(text) ?? text) ?? null
}

function hostsOf({ clients = [] }: SuiteParts): NonNullable<SuiteEdit['hosts']> {
  return clients.map(({ client, servers }) => ({ host: client, ...(servers && { servers }) }))
}

/** Returns the fields that differ. Null and false clear missing ones. */
function settingsEdit(before: Settings, after: Settings): Settings {
  const changed = (names: readonly (keyof Settings)[]) => names.filter(name => !isSameJson(before[name], after[name]))
  const [had, has] = [before.judge ?? {}, after.judge ?? {}]
  const judge = Object.fromEntries(
    (['enabled', 'model', 'autoRun', 'threshold'] as const)
      .filter(name => had[name] !== has[name])
      .map(name => [name, has[name] ?? false]),
  )
  return {
    ...Object.fromEntries(
      changed(['minimumAccuracy', 'minimumIterations', 'matchOptions', 'checks']).map(name => [
        name,
        after[name] ?? null,
      ]),
    ),
    ...(hasAny(judge) && { judge }),
  }
}

function scheduleEdit(schedule: SuiteForm['schedule'], names: Names): ScheduleEdit {
  if (!schedule) return { enabled: false }
  const { enabled, intervalMinutes, environment } = schedule
  return {
    enabled,
    ...defined({ intervalMinutes }),
    ...(environment !== undefined && { environmentId: names.environmentId(environment) ?? environment }),
  }
}

function normalSettings({ minimumAccuracy, minimumIterations, matchOptions, checks, judge }: Settings): Settings {
  const { enabled, model, autoRun, threshold } = judge ?? {}
  const said = { ...(enabled && { enabled }), ...defined({ model, autoRun: autoRun || undefined, threshold }) }
  return {
    ...(minimumAccuracy !== undefined && { minimumAccuracy }),
    ...(minimumIterations != null && { minimumIterations }),
    ...(matchOptions && { matchOptions }),
    ...(checks && checks.length > 0 && { checks }),
    ...(hasAny(said) && { judge: said }),
  }
}

/** Normalizes a schedule. If it is off, the service stores only the interval. */
function normalSchedule({ enabled, intervalMinutes, environment }: NonNullable<SuiteForm['schedule']>) {
  return {
    enabled,
    ...(intervalMinutes !== undefined && { intervalMinutes }),
    ...(enabled && environment !== undefined && { environment }),
  }
}

/** Returns the named fields of an answer that are present. */
function present(fields: Record<string, unknown>, names: readonly string[]): Record<string, never> {
  const there = names.filter(name => fields[name] != null).map(name => [name, fields[name]])
  return Object.fromEntries(there) as Record<string, never>
}

function hasAny(block: object): boolean {
  return Object.keys(block).length > 0
}
