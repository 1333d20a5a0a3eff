import { journeySessions } from './journey-sessions.ts'
import { evalSessions } from './eval-sessions.ts'
import type { SessionSource } from './session.ts'
import { visitorSessions } from './visitor-sessions.ts'

/** Every surface whose sessions this workspace holds, one line each; feeds, searches and exports follow. */
export const sessionSources: readonly SessionSource[] = [evalSessions, visitorSessions, journeySessions]
