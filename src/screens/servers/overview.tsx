import { useQuery } from '@tanstack/react-query'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatAgo, formatDuration, UNKNOWN } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { CheckOAuthResult, ValidateResult } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import type { StoredSignIn } from '../../api/contract/sign-ins.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { localMoment } from '../../lib/times.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { heading, jsonLines, problemLines, recordView, type Field } from '../../components/lines.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { isProgram, storedTexts, type StoredTexts } from './changed-server.ts'
import { doctorQuery, oauthQuery, useManualQuery, validateQuery, type ServerInput, type Timed } from './checks.ts'
import { withShortTexts } from './json-text.ts'
import { useLiveServer } from './use-live-server.ts'
import { useProcessAge } from './process-age.ts'
import { doctorState, useDoctorStates, type DoctorState } from './use-doctor-states.ts'
import { useWatchedFiles } from './use-restart-on-save.ts'
import { textLines } from './schema-lines.ts'
import type { TabProps } from './tab.ts'
import { useNow } from './use-now.ts'

type SignInText = readonly [text: string, tone?: 'warn' | 'muted']

/** Says whether the person is signed in to a server, and for how long. */
export function signInText(stored: StoredSignIn, now: number, key: string): SignInText {
  if (!stored.signedIn) return [`no; ${key} signs in`]
  const ends = toEpochMs(stored.expiresAt)
  const by = stored.grant == null ? 'automatically' : `by its grant, ${stored.grant}`
  const next = stored.refreshable ? `; the next token is fetched ${by}` : ''
  if (ends === undefined) return [`yes, until the server refuses it${next}`]
  if (ends > now) return [`until ${localMoment(ends, now)}${next}`]
  return stored.refreshable
    ? [`yes; its token expired ${localMoment(ends, now)}, and the next call fetches another`]
    : [`no: its token expired ${localMoment(ends, now)}; ${key} signs in again`, 'warn']
}

/** Returns how the server is reached, as far as known: a service returns no command, headers or secrets. */
function reachFields(server: ProjectServer, stored: StoredTexts | undefined, signedIn: SignInText): Field[] {
  const address = server.transportType === 'stdio' && !stored ? 'a program over stdio' : undefined
  return [
    ['Address', server.url ?? address],
    ...storedFields(server, stored),
    ['Enabled', yes(server.enabled), server.enabled ? 'plain' : 'warn'],
    ...(server.url == null ? [] : [['Signed in', ...signedIn] as const]),
  ]
}

function technicalFields(server: ProjectServer, now: number): Field[] {
  const when = (value: number | string | null | undefined): string => formatAgo(toEpochMs(value), serviceTime(now))
  const oauth: readonly Field[] = [
    ['Uses OAuth', yes(server.useOAuth)],
    ['Client secret', server.hasClientSecret ? 'stored' : server.hasClientSecret === false ? 'none' : undefined],
    ['OAuth scopes', server.oauthScopes?.join(' ')],
  ]
  return [
    ['Transport', server.transportType],
    ...oauth,
    ['Created', when(server.createdAt)],
    ['Changed', when(server.updatedAt)],
    ['Id', server.id],
  ]
}

const yes = (value: boolean | null | undefined): string => (value == null ? UNKNOWN : value ? 'yes' : 'no')

function storedFields(server: ProjectServer, stored: StoredTexts | undefined): Field[] {
  if (!stored) return []
  const { where, env, headers, timeout } = stored
  const inLine = (lines: string): string => lines.replaceAll('\n', ', ')
  return [
    ...(isProgram(server) ? [['Command', where] as const] : []),
    ...(env ? [['Environment', inLine(env)] as const] : []),
    ...(headers ? [['Headers', inLine(headers)] as const] : []),
    ...(timeout ? [['Timeout', `${timeout} s`] as const] : []),
  ]
}

type Check<T> = { data: Timed<T> | undefined; running: boolean; updatedAt: number | undefined }

/** Shows a check: its result, duration and time, or how to request it. */
export function checkLines<T>(
  symbols: Symbols,
  check: Check<T>,
  words: { running: string; key: string; purpose: string; answer: (value: T) => Line[] },
  now: number,
): Line[] {
  if (check.running) return [{ text: `${symbols.live} ${words.running}`, tone: 'live', indent: 2 }]
  if (!check.data) {
    return [{ text: `Not checked. Press ${words.key} to ${words.purpose}.`, tone: 'muted', indent: 2 }]
  }
  const { outcome, durationMs } = check.data
  const when: Line = {
    text: `${formatDuration(durationMs)}, measured here, ${formatAgo(check.updatedAt, now)}`,
    tone: 'muted',
    indent: 2,
  }
  if ('value' in outcome) return [...words.answer(outcome.value), when]
  return [...problemLines(symbols, outcome.problem), when]
}

function validateLines(symbols: Symbols, result: ValidateResult): Line[] {
  return [
    {
      text: `${result.success ? symbols.ok : symbols.error} ${result.status}`,
      tone: result.success ? 'ok' : 'error',
      indent: 2,
    },
    ...(result.initInfo ? jsonLines(withShortTexts(result.initInfo, 2_000), 2) : []),
  ]
}

function oauthLines(result: CheckOAuthResult): Line[] {
  const address = result.serverUrl ? ` (${result.serverUrl})` : ''
  return [
    result.useOAuth
      ? { text: `Its settings require OAuth${address}.`, tone: 'warn', indent: 2 }
      : { text: `Its settings do not require OAuth${address}.`, tone: 'ok', indent: 2 },
  ]
}

/** Returns the server's instructions for models, if it sends any. */
function instructionLines(instructions: string | undefined): Line[] {
  return instructions?.trim() ? ['', heading('Instructions'), ...textLines(instructions, 2)] : []
}

function instructionsIn(initInfo: unknown): string | undefined {
  const { instructions } = Object(initInfo) as { instructions?: unknown }
  return typeof instructions === 'string' ? instructions : undefined
}

/** Returns how a server is reached, with dots for secrets; undefined if this process does not know it. */
function useStoredTexts(server: ProjectServer): StoredTexts | undefined {
  const { storedReaches } = useWorkspace()
  const { data } = useQuery({
    queryKey: ['stored-reaches', server],
    queryFn: async () => {
      const stored = await storedReaches?.of(server.id)
      return stored ? storedTexts(server, stored) : null
    },
    enabled: storedReaches !== undefined,
  })
  return data ?? undefined
}

/** Says whether the person is signed in to a saved server; a hosted service does not return that. */
function useSignInText(input: ServerInput, server: ProjectServer, now: number): SignInText {
  const { queries } = useWorkspace()
  const key = useKeyName()
  const { data, error } = useApiQuery(queries.signIns.get.options(input, { enabled: server.url != null }))
  if (data) return signInText(data, serviceTime(now), key(serversKeys, 'signIn'))
  return error?.code === 'local-only' ? ['not returned by this service', 'muted'] : [UNKNOWN]
}

const HELD = 'until you leave or end it, since a tool was called'

/** Returns the doctor's last result, which covers what the quick check leaves out. */
function doctorLines(symbols: Symbols, said: DoctorState | undefined, key: string, now: number): Line[] {
  if (!said)
    return [{ text: `Not run. Press ${key} to check it step by step, with its tools.`, tone: 'muted', indent: 2 }]
  const { look, at } = said
  const when = look.tone === 'live' || at === undefined ? '' : `, ${formatAgo(at, now)}`
  return [{ text: `${symbols[look.symbol]} ${look.word}${when}; the tab Doctor says more`, tone: look.tone, indent: 2 }]
}

/** Shows the saved server, the doctor's result, and the two quick checks. */
export function Overview(props: TabProps) {
  const { projectId, server, focused } = props
  const { symbols } = useTheme()
  const workspace = useWorkspace()
  const input = { projectId, serverId: server.id }
  const validate = useManualQuery(validateQuery(workspace, input))
  const validated = validate.data && 'value' in validate.data.outcome ? validate.data.outcome.value.initInfo : undefined
  const oauth = useManualQuery(oauthQuery(workspace, input))
  const now = useNow()
  const signedIn = useSignInText(input, server, now)
  const key = useKeyName()
  const { live } = useLiveServer(projectId, server.id)
  const age = useProcessAge(live, server)
  const report = useManualQuery(doctorQuery(workspace, input))
  const watched = useWatchedFiles(server.id)
  const oauthCheck = checkLines(
    symbols,
    oauth,
    {
      running: 'Checking whether its settings require OAuth…',
      key: key(serversKeys, 'checkOAuth'),
      purpose: 'check OAuth',
      answer: oauthLines,
    },
    now,
  )
  const examined = useDoctorStates(projectId).get(server.id)
  const more: Line[] = [
    '',
    heading('Doctor'),
    ...doctorLines(symbols, examined && doctorState(examined, server), key(serversKeys, 'doctor'), now),
    '',
    heading('Validate'),
    ...checkLines(
      symbols,
      validate,
      {
        running: 'Connecting and initializing once…',
        key: key(serversKeys, 'validate'),
        purpose: 'connect once and see that it answers',
        answer: result => validateLines(symbols, result),
      },
      now,
    ),
    ...(server.url == null && !oauth.data && !oauth.running ? [] : ['', heading('OAuth'), ...oauthCheck]),
    ...instructionLines(live?.instructions ?? instructionsIn(validated ?? report.data?.initInfo)),
  ]
  const view = recordView(
    [
      ...(age === undefined ? [] : [[isProgram(server) ? 'Process' : 'Connection', age] as const]),
      ...(live?.held ? [['Kept', HELD] as const] : []),
      ...(watched === undefined ? [] : [['Restarts on', `changes of ${watched}`] as const]),
      ...reachFields(server, useStoredTexts(server), signedIn),
    ],
    technicalFields(server, now),
    more,
  )
  return <Viewer {...view} focused={focused} />
}
