import type { Environment } from '../../api/contract/environments.ts'
import type { EvalSuiteDetail } from '../../api/contract/suites.ts'
import { plural, UNKNOWN } from '../../lib/format.ts'
import { fieldLines, heading, jsonLines, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { assertionLabel } from '../../domain/suites/assertion-labels.ts'

/** Returns all settings of a suite. */
export function settingsLines(
  detail: EvalSuiteDetail,
  environments: readonly Pick<Environment, 'id' | 'name' | 'archived'>[],
): Line[] {
  const { settings } = detail
  return [
    ...fieldLines(basicFields(detail, environments)),
    '',
    heading('Thresholds'),
    ...fieldLines([
      ['Accuracy', settings?.minimumAccuracy == null ? 'each case for itself' : `${settings.minimumAccuracy}%`],
      ['Iterations', text(settings?.minimumIterations, 'as the cases say')],
    ]),
    '',
    heading('Judge'),
    ...fieldLines(judgeFields(settings?.judge)),
    '',
    heading('Schedule'),
    { text: scheduleWords(detail, environments), indent: 2 },
    '',
    heading('Checks of every case'),
    ...(settings?.checks?.length
      ? settings.checks.map((assertion): Line => ({ text: assertionLabel(assertion), indent: 2 }))
      : [{ text: 'none', indent: 2 }]),
    '',
    heading('Match options'),
    ...(settings?.matchOptions ? jsonLines(settings.matchOptions, 2) : [{ text: 'as usual', indent: 2 }]),
  ]
}

function basicFields(
  { name, description, environment, environmentIds, executionConfig, hosts }: EvalSuiteDetail,
  environments: readonly Pick<Environment, 'id' | 'name' | 'archived'>[],
): Field[] {
  const names = environmentIds?.map(id => environmentName(id, environments)) ?? []
  const clients = hosts?.map(host => (host.servers ? `${host.name} (${host.servers.join(', ')})` : host.name))
  return [
    ['Name', name],
    ['Description', description || 'none'],
    ['Servers', environment?.servers?.join(', ') || 'none'],
    ['Environments', names.join(', ') || 'none attached; runs use the servers above'],
    ['Clients', clients?.join(', ') || 'the project’s default'],
    ['Model', executionConfig?.model ?? 'none'],
    ['System prompt', executionConfig?.systemPrompt || 'none'],
    ['Temperature', text(executionConfig?.temperature, 'the model’s own')],
  ]
}

/** Describes the schedule in a sentence. */
export function scheduleWords(
  { schedule }: EvalSuiteDetail,
  environments: readonly Pick<Environment, 'id' | 'name' | 'archived'>[],
): string {
  if (!schedule?.enabled) return 'off'
  const where = schedule.environmentId == null ? '' : ` in ${environmentName(schedule.environmentId, environments)}`
  return `on, every ${plural(schedule.intervalMinutes ?? 0, 'minute')}${where}; each run spends`
}

function environmentName(id: string, environments: readonly Pick<Environment, 'id' | 'name' | 'archived'>[]): string {
  const found = environments.find(each => each.id === id)
  return `${found?.name ?? id}${found?.archived ? ' (archived)' : ''}`
}

function judgeFields(judge: NonNullable<EvalSuiteDetail['settings']>['judge']): Field[] {
  return [
    ['State', judge?.enabled ? (judge.autoRun ? 'on, after every run' : 'on request') : 'off'],
    ['Model', judge?.model ?? 'the configured one'],
    ['Threshold', text(judge?.threshold, UNKNOWN)],
  ]
}

function text(value: number | null | undefined, otherwise: string): string {
  return value == null ? otherwise : String(value)
}
