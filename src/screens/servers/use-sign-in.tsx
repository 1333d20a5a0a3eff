import { Box, Text } from 'ink'
import { useEffect, useState } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { isPlainRead } from '../../api/client/cache/cache-contents.ts'
import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { signOut as signOutAction } from '../../domain/servers/actions.ts'
import {
  SignInError,
  signInLines,
  storing,
  type ImportedTokens,
  type SignIn,
  type SignInClient,
  type SignInPlan,
} from '../../domain/servers/sign-in.ts'
import { localMoment } from '../../lib/times.ts'
import { clean, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useOpenUrl } from '../../components/browser.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { useFormDialog, type FormSpec } from '../../components/form/form-dialog.tsx'
import { useOverlays } from '../../components/overlays.tsx'
import { useSize } from '../../components/size.tsx'
import { TextField } from '../../components/text-field/text-field.tsx'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useAction, useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useOtherServer } from './use-saving.ts'

const WIDTH = 84
/** Rows in addition to the lines: border, the field, the error of an answer. */
const ROWS_AROUND = 6
const MOST_PORT = 65_535

/** The result of a step, or why it failed. */
type Step<T> = { value: T } | { failed: SignInError }

/**
 * Signs in to a server with the browser, and out. Nothing is registered or opened before the person has agreed to the
 * named host.
 */
export function useSignIn(projectId: string) {
  const { signIns, storedReaches, profile } = useWorkspace()
  const confirm = useConfirm()
  const ask = useFormDialog()
  const openUrl = useOpenUrl()
  const step = useStep()
  const wait = useWaiting()
  const notify = useNotify()
  const handOver = useWrite(contract.servers.importTokens)
  const forget = useAction(signOutAction)
  const { lookAgain } = useOtherServer(projectId)

  /** Returns the OAuth client to use; undefined if the person gave up. */
  const chosenClient = async (plan: SignInPlan, name: string, why?: string): Promise<SignInClient | undefined> => {
    const values = await ask(clientForm(plan, name, why))
    if (!values) return undefined
    const [clientId, clientSecret, port] = ['client', 'secret', 'port'].map(id => values[id]?.trim() || undefined)
    return { clientId, clientSecret, ...(port !== undefined && { port: Number(port) }) }
  }

  /** @param scopes scopes that the server requires in addition to the saved ones */
  const signIn = async (server: ProjectServer, scopes: readonly string[] = []): Promise<void> => {
    const { id: serverId, name, url } = server
    if (!signIns || url == null) return
    const planned = await step(`Asking where to sign in to ${name}…`, signal =>
      signIns.plan(url, {
        scopes: [...new Set([...(server.oauthScopes ?? []), ...scopes])],
        keepsKeys: profile.local,
        signal,
      }),
    )
    if (!planned) return
    if ('failed' in planned) return notify('error', planned.failed.message)
    const plan = planned.value
    const stored = (await storedReaches?.of(serverId))?.client
    let client = stored ?? (plan.registers ? {} : await chosenClient(plan, name))
    if (!client) return
    const agreed = await confirm({
      title: `Sign in to "${name}"?`,
      lines: signInLines(plan),
      action: `Open ${plan.host} in the browser`,
    })
    if (!agreed) return
    let begun: SignIn | undefined
    while (!begun) {
      const options: SignInClient = client
      const tried = await step(`Beginning the sign-in at ${plan.host}…`, signal => plan.begin(options, signal))
      if (!tried) return
      if ('value' in tried) begun = tried.value
      else if (!tried.failed.wantsClient) return notify('error', tried.failed.message)
      else {
        client = await chosenClient(plan, name, tried.failed.message)
        if (!client) return
      }
    }
    const isOpened = await openUrl(begun.link, `the sign-in page of ${plan.host}`)
    const tokens = await wait({ name, host: plan.host, signIn: begun, isOpened })
    if (typeof tokens === 'string') return notify('error', tokens)
    if (!tokens) return notify('warn', `The sign-in to ${name} was cancelled; nothing was imported.`)
    await handOver({
      work: async ({ send }) => {
        const imported = await send(storing(tokens), { projectId, serverId, body: tokens })
        lookAgain(server)
        return imported
      },
      rereads: isPlainRead,
      start: `Importing the tokens for ${name}…`,
      done: ({ expiresAt }) => `Signed in to ${name}${untilText(expiresAt, Date.now())}.`,
    })
  }

  const signOut = async (server: ProjectServer): Promise<void> => {
    await forget(server, {
      work: async ({ send }) => {
        const out = await send(contract.signIns.delete, { projectId, serverId: server.id })
        lookAgain(server)
        return out
      },
      rereads: isPlainRead,
    })
  }
  return { signIn, signOut }
}

/** Returns the scopes that a server requires for the request that it refused; none if it did not say which. */
export function wantedScopes(error: unknown): string[] {
  const scope = error instanceof ApiError && error.code === 'OAUTH_REQUIRED' ? error.details?.['scope'] : undefined
  // The characters allowed in scopes (RFC 6749, 3.3); a server may have sent others.
  return typeof scope === 'string' ? scope.split(' ').filter(each => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each)) : []
}

/** Says when an access token expires, as the end of a sentence; empty if unknown. */
export function untilText(expiresAt: number | string | null | undefined, now: number): string {
  const ms = toEpochMs(expiresAt)
  return ms === undefined ? '' : `, until ${localMoment(ms, now)}`
}

/** Runs one step as a task that can be stopped. */
function useStep() {
  const runTask = useRunTask()
  return async <T,>(start: string, work: (signal: AbortSignal) => Promise<T>): Promise<Step<T> | undefined> =>
    await runTask<Step<T>>({
      start,
      stopped: 'The sign-in was cancelled; nothing was opened.',
      async work({ signal }) {
        try {
          return { value: await work(signal) }
        } catch (error) {
          if (error instanceof SignInError) return { failed: error }
          throw error
        }
      },
    })
}

function clientForm({ host }: SignInPlan, name: string, why: string | undefined): FormSpec {
  return {
    title: `Sign in to ${name}`,
    about: [
      {
        text: why ?? `${host} does not register clients automatically: enter one that you registered there.`,
        tone: 'warn',
      },
      {
        text: 'Its redirect address is http://127.0.0.1 with any port, or with the one below, and /callback.',
        tone: 'plain',
      },
    ],
    fields: [
      { id: 'client', label: 'Client id', required: true },
      { id: 'secret', label: 'Client secret', input: { kind: 'secret' }, note: 'If that client has one.' },
      {
        id: 'port',
        label: 'Port',
        input: { kind: 'number', least: 1, most: MOST_PORT, whole: true },
        note: 'Left empty, any free one.',
      },
    ],
    act: 'Go on',
  }
}

type Waited = { name: string; host: string; signIn: SignIn; isOpened: boolean }

/** Waits in a dialog for the person in the browser; a text says why nothing arrived, undefined that the person left. */
function useWaiting(): (waited: Waited) => Promise<ImportedTokens | string | undefined> {
  const overlays = useOverlays()
  return waited =>
    overlays.ask({
      title: `Sign in to ${waited.name}`,
      width: WIDTH,
      height: ({ width }) => waitingLines(waited, width - 4).length + ROWS_AROUND,
      content(end) {
        const follow = async (): Promise<void> => {
          try {
            end(await waited.signIn.tokens)
          } catch (error) {
            end(error instanceof Error ? error.message : String(error))
          }
        }
        void follow()
        return <Waiting {...waited} onLeave={() => end(undefined)} />
      },
    })
}

function waitingLines({ host, signIn, isOpened }: Waited, width: number): { text: string; tone: 'plain' | 'muted' }[] {
  const { origin } = new URL(signIn.callback)
  const plain = (text: string) => wrap(text, width).map(line => ({ text: line, tone: 'plain' as const }))
  return [
    ...plain(`Waiting for you to sign in at ${host}. The browser then returns to ${origin} by itself.`),
    ...(isOpened
      ? []
      : [
          ...plain('No browser was opened. Open this link in one; it is on the clipboard where the terminal has one:'),
          ...wrap(signIn.link, width).map(line => ({ text: line, tone: 'muted' as const })),
        ]),
    { text: ' ', tone: 'plain' },
    ...plain('In a browser on another machine, paste the address here at which it ends:'),
  ]
}

function Waiting(props: Waited & { onLeave: () => void }) {
  const { signIn, onLeave } = props
  const theme = useTheme()
  const { width } = useSize()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  // Closing the dialog in any way ends the sign-in; an answered one continues to its tokens.
  useEffect(() => {
    signIn.onRefused(why => setProblem(`${why} Still waiting.`))
    return () => signIn.end()
  }, [signIn])
  return (
    <Box flexDirection="column" paddingX={1}>
      {waitingLines(props, width - 2).map((line, index) => (
        <Text key={index} wrap="truncate">
          {theme.paint(line.tone, line.text)}
        </Text>
      ))}
      <Box>
        <Text>{theme.paint('accent', '> ')}</Text>
        <TextField
          value={text}
          mask="*"
          onChange={typed => {
            setText(typed)
            setProblem(undefined)
          }}
          onSubmit={typed => setProblem(signIn.take(typed))}
          onCancel={onLeave}
          placeholder={`${signIn.callback}?…`}
          width={width - 4}
        />
      </Box>
      {wrap(clean(problem ?? ''), width - 2).map((line, index) => (
        <Text key={index}>{theme.paint('error', line)}</Text>
      ))}
    </Box>
  )
}
