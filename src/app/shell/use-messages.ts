import { useToasts, type Message } from '../../components/toasts.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { localClock } from '../../lib/times.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Theme } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { toneMark } from './footer.tsx'

/** Opens the messages of this session: what left the footer stays readable here. */
export function useMessages(): () => void {
  const toasts = useToasts()
  const theme = useTheme()
  const show = useTextOverlay()
  return () => {
    const messages = toasts.messages()
    show(
      'Messages',
      messages.length > 0
        ? messages.map(message => messageLine(message, theme))
        : [{ text: 'No messages in this session yet.', tone: 'muted' }],
    )
  }
}

function messageLine({ at, tone, text }: Message, { symbols }: Theme): Line {
  const lead = [{ text: `${localClock(at)} `, tone: 'muted' as const }]
  const indent = [{ text: ' '.repeat(localClock(at).length + 1), tone: 'plain' as const }]
  return { spans: [{ text: `${toneMark(tone, symbols)} ${clean(text)}`, tone }], lead, rest: indent }
}
