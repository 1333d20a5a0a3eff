import { useEffect, useRef } from 'react'
import { choiceField, useFormDialog } from '../../components/form/form-dialog.tsx'
import { useReview } from '../../components/review.tsx'
import { useWriteFile } from '../../components/write-file.ts'
import { SHIFT_HOURS, shiftFileName, shiftReport } from '../../domain/now/shift-report.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { notebookOf } from '../../hooks/use-notebook.ts'
import { useNowMemory } from '../../hooks/use-now-memory.ts'
import { useOwn } from '../../hooks/use-own.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { localMoment } from '../../lib/times.ts'
import { formatLocator, type Place } from '../../tui/router/place.ts'
import { usePlace, useRouter, useRoutes } from '../../tui/router/router-context.tsx'
import { placeOf } from './place-of.ts'
import { type NowData, summaryOfNow } from '../../domain/now/now.ts'
import { seenListOf } from './use-now-news.ts'

const HOUR_MS = 60 * 60_000
const HOURS = [SHIFT_HOURS, 8, 24, 72]
const LOOKED = 'looked'

/** Asks for the start, shows the report of the shift and writes it to a chosen path. */
export function useShiftReport(data: NowData): () => Promise<void> {
  const workspace = useWorkspace()
  const { profile, journal, seen } = workspace
  const { kept } = useNowMemory()
  const routes = useRoutes()
  const ask = useFormDialog()
  const review = useReview()
  const writeFile = useWriteFile()
  const runTask = useRunTask()
  const ownOf = useOwn()
  const latest = useRef({ data, kept })
  latest.current = { data, kept }
  const report = async (): Promise<void> => {
    const now = Date.now()
    const lookedAt = seen?.of(seenListOf(kept))?.at
    const looked =
      lookedAt === undefined ? [] : [{ value: LOOKED, label: `the last look, ${localMoment(lookedAt, now)}` }]
    const values = await ask({
      title: 'Shift report',
      about: [{ text: 'What broke, what was done on this machine and what is open, as Markdown.', tone: 'muted' }],
      fields: [
        choiceField('since', 'since', [
          ...HOURS.map(hours => ({ value: String(hours), label: `${hours} hours ago` })),
          ...looked,
        ]),
      ],
      act: 'Show it',
    })
    const since = values?.['since']
    if (since === undefined) return
    const from = since === LOOKED ? (lookedAt ?? now) : now - Number(since) * HOUR_MS
    const text = await runTask({
      start: 'Writing the shift report…',
      work: async ({ signal, progress }) => {
        const { data: shown, kept: stored } = latest.current
        const locator = (place: Place) => formatLocator(routes, profile.name, place)
        const summary = summaryOfNow(shown, { kept: stored, placeOf, locator, profile: profile.name })
        const notebook = notebookOf(workspace)
        notebook.look()
        const writes = (await journal?.since(from)) ?? []
        const shift = { from, summary, writes, acknowledged: stored.acknowledged, incidents: notebook.incidents() }
        return await shiftReport(shift, { ...ownOf(), locator, now, signal, progress })
      },
      stopped: 'Nothing was written.',
    })
    if (text === undefined) return
    const lines = text.split('\n').map(line => ({ text: line }))
    if (!(await review({ title: 'Shift report', lines, action: 'Write it to a file' }))) return
    const question = {
      title: 'Write the shift report',
      lines: ['Markdown without what looks like a secret, readable only by you. Write it to:'],
      initial: shiftFileName(now),
    }
    await writeFile(question, () => text)
  }
  useWhenWanted(report)
  return report
}

/** Starts a report if the place asks for one, once. */
function useWhenWanted(report: () => Promise<void>): void {
  const router = useRouter()
  const isWanted = usePlace().params['report'] !== undefined
  const begin = useRef(report)
  begin.current = report
  useEffect(() => {
    if (!isWanted) return
    router.replace({ report: undefined })
    void begin.current()
  }, [isWanted, router])
}
