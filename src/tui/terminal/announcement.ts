import { desktopSequence, title } from './osc.ts'

/**
 * How the end of a followed run is announced in addition to the screen. `desktop` is OSC 9, which iTerm2, WezTerm and
 * Ghostty show; OSC 777 is for foot, rxvt and Contour, OSC 99 for kitty.
 */
export const NOTIFY_CHOICES = ['off', 'auto', 'bell', 'desktop', 'osc777', 'osc99', 'title'] as const
export type Notify = (typeof NOTIFY_CHOICES)[number]

const BELL = '\x07'

/** Returns the sequence to send to the terminal, empty if none is wanted; a dumb terminal only gets the bell. */
export function announcement(how: Notify, text: string, env: NodeJS.ProcessEnv, isDumb = false): string {
  const chosen = how === 'auto' ? noticeOf(env) : how
  if (chosen === 'off') return ''
  if (chosen === 'bell') return BELL
  if (isDumb) return ''
  return chosen === 'title' ? title(text) : desktopSequence(chosen, text, env)
}

/**
 * Returns the notices that the terminal is known to support. All other terminals get the bell, since they may print the
 * sequence. The terminal behind tmux or GNU screen is unknown.
 */
function noticeOf({ TERM = '', TERM_PROGRAM = '', TMUX, STY, KITTY_WINDOW_ID }: NodeJS.ProcessEnv) {
  if (TMUX || STY || /^(?:screen|tmux)/.test(TERM)) return 'bell'
  if (TERM === 'xterm-kitty' || KITTY_WINDOW_ID) return 'osc99'
  if (/^(?:foot|rxvt|contour)/.test(TERM)) return 'osc777'
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || /^(?:xterm-ghostty|wezterm)/.test(TERM)) return 'desktop'
  return 'bell'
}
