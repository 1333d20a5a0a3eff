import type { SyncPlan } from '../../domain/suites/sync-plan.ts'
import { plural } from '../../tui/theme/format.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import type { Line } from '../../components/viewer.tsx'
import type { Authoring } from './use-authoring.ts'

/** What an import would do, in lines; nothing has been sent yet. */
export function planLines(plan: SyncPlan, changeLines: Authoring['changeLines']): Line[] {
  const { suite, file, settings, created, changed, unchanged, others } = plan
  const schedule = suite ? settings?.schedule : file.suite.schedule
  return [
    suite
      ? { text: `The suite ${suite.name} is updated to match the file.`, tone: 'plain' }
      : { text: `A new suite ${file.suite.name} is created.`, tone: 'plain' },
    ...changeLines(settings?.changes ?? []),
    ...(settings?.kept ?? []).map((field): Line => ({
      text: `${field} stays as it is: it cannot be taken away over the API.`,
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

/** `2 cases to change`; nothing where there are none. */
function counted(cases: readonly unknown[], what: string, tone: Tone): Line[] {
  return cases.length > 0 ? [{ text: `${plural(cases.length, 'case')} ${what}`, tone }] : []
}
