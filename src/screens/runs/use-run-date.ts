import ms, { type StringValue } from 'ms'
import { useState } from 'react'
import { runName, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { useFormDialog } from '../../components/form/form-dialog.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { isCalendarTime, localTime } from '../../lib/times.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { runDateKeys } from './bindings.ts'
import type { RunsLists } from './use-lists.ts'

const AGO = /^(\d+(?:\.\d+)?) ?(m|min|h|d|w|y|minutes?|hours?|days?|weeks?|years?)(?: ago)?$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}[ t]\d{2}:\d{2}(?::\d{2})?z?$/
const FORMS = 'Give a day, 2026-11-01, with a time if you like, 2026-11-01 14:30, or how long ago: 3d, 2w, 36h.'

/**
 * Parses a day as its last moment, a day with a time, or an age before `now`; in epoch milliseconds. Times are those of
 * this machine's clock, unless a final `z` says UTC. Undefined for other texts.
 */
export function readWhen(text: string, now: number): number | undefined {
  const wanted = text.trim().toLowerCase()
  const [, count, unit] = AGO.exec(wanted) ?? []
  const iso = DAY.test(wanted)
    ? `${wanted}T23:59:59.999`
    : TIME.test(wanted)
      ? wanted.toUpperCase().replace(' ', 'T')
      : ''
  const at = count === undefined ? new Date(iso).getTime() : now - ms(`${count}${unit}` as StringValue)
  return isCalendarTime(at) ? at : undefined
}

/** Asks for a date and selects the latest run launched by then; reads older runs only as far as needed. */
export function useRunDate({ runs, runList }: RunsLists): KeyHandler | Unavailable {
  const ask = useFormDialog()
  const runTask = useRunTask()
  const [stop, setStop] = useState<() => void>()
  useBindings(runDateKeys, { stop: stop ?? unavailable('No date is looked for.') }, { active: stop !== undefined })
  if (stop) return unavailable('The run of a date is being looked for.')
  if (!runs.items || runs.items.length === 0) return unavailable('There is no run to go to.')
  return async () => {
    const filled = await ask({
      title: 'Go to a date',
      fields: [
        {
          id: 'when',
          label: 'Until',
          required: true,
          note: FORMS,
          check: text => (readWhen(text, serviceNow()) === undefined ? FORMS : undefined),
        },
      ],
      act: 'Go to the latest run until then',
    })
    const at = readWhen(filled?.['when'] ?? '', serviceNow())
    if (at === undefined) return
    const until = (run: EvalRun): boolean => (toEpochMs(run.createdAt) ?? Infinity) <= at
    await runTask({
      start: `Looking for the runs of ${localTime(at)}…`,
      async work({ signal, progress, stop: giveUp }) {
        setStop(() => giveUp)
        const isThere = (read: readonly EvalRun[]): boolean => {
          if (runs.total !== undefined) progress(Math.min(read.length, runs.total), runs.total)
          const last = read.at(-1)
          return last !== undefined && until(last)
        }
        const here = runs.items?.some(until) ? runs.items : await runs.readUntil(isThere, signal)
        const found = here.find(until)
        const chosen = found ?? here.at(-1)
        if (!chosen) return undefined
        // A filter or another order could hide the run.
        runList.setFilter('')
        runList.setSorting(undefined)
        runList.setOnlyNews(false)
        runList.selection.select(chosen.id)
        return { found, chosen }
      },
      done: result =>
        result && !result.found
          ? { tone: 'warn', text: `No run that was read is that old; ${runName(result.chosen)} is the oldest of them.` }
          : undefined,
      stopped: 'Stopped looking; what was read stays.',
    })
    setStop(undefined)
  }
}
