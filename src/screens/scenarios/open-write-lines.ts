import { isAbout, openWriteOf, stateOf } from '../../api/journal/open-write.ts'
import { titleOf } from '../../api/journal/words.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useOpenWrites } from '../../hooks/use-open-writes.ts'

/** What is in doubt about one thing, by ids on the path of a write; each of its lines says what was read back. */
export function useOpenWriteLines(ids: Readonly<Record<string, string>>): Line[] {
  const { symbols } = useTheme()
  const { data = [] } = useOpenWrites()
  const now = Date.now()
  const about = data.filter(entry => isAbout(entry, ids))
  return about.flatMap((entry): Line[] => [
    {
      text: `${symbols.warn} ${titleOf(entry, now)} ${stateOf(openWriteOf(entry, now))}. Decide about it on Now.`,
      tone: 'warn',
    },
  ])
}
