import { createInterface } from 'node:readline'
import { contract } from '../../api/contract/contract.ts'
import { signOut as signOutAction } from '../../domain/servers/actions.ts'
import {
  SignInError,
  signInLines,
  type ImportedTokens,
  type SignInClient,
  type SignInWishes,
} from '../../domain/servers/sign-in.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { openInBrowser } from '../editor/browser.ts'
import { act, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { recordLines } from '../output/record-lines.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import { grantOf, requireTaken, type GrantOptions } from '../sign-in/grant-options.ts'
import { createSignIns } from '../sign-in/sign-ins.ts'
import { storeGrant } from '../sign-in/store-grant.ts'
import { Ended, refuseReadOnly, type SavedContext } from '../workspace/in-workspace.ts'
import { handOver, secretOfVariable, serverOf } from './servers.ts'

type Json = { json?: boolean }

export type SignInOptions = Json &
  WriteOptions &
  GrantOptions & { clientDocument?: string; port?: number; scope: string[]; open?: boolean }

/**
 * Runs `mcpdeck sign-in`: prints the link, and waits for the browser, or for the final address of a browser elsewhere.
 * With a grant it needs neither.
 */
export async function signIn(context: SavedContext, words: readonly string[], own: SignInOptions): Promise<void> {
  if (own.grant !== undefined) return await signInByGrant(context, words, own)
  requireTaken(own)
  const { clientId, clientSecretEnv, clientDocument: documentUrl } = own
  const clientSecret = secretOfVariable(clientSecretEnv, clientId)
  requireDocumentUrl(documentUrl)
  const [{ at, name, url }] = await serverOf(context, words, [], 0)
  if (url === undefined) throw new UsageError(`${clean(name)} is a program; a sign-in is for servers over HTTP.`)
  refuseReadOnly(contract.servers.importTokens.operation, context.refusing)
  const saved = own.scope.length > 0 ? undefined : (await context.client.servers.get(at)).oauthScopes
  const { storedReaches, profile } = context.saved.opened.workspace
  const stored = clientId === undefined ? (await storedReaches?.of(at.serverId))?.client : { clientId, clientSecret }
  const client = { ...stored, documentUrl, port: own.port }
  const wishes = { scopes: saved ?? own.scope, keepsKeys: profile.local }
  const body = await dance(url, { ...wishes, client, opens: own.open ?? false })
  await handOver(context, { at, body }, own, `Signed in to ${clean(name)}.`)
}

const BROWSER_ONLY = { open: '--open', clientDocument: '--client-document', port: '--port' } as const

async function signInByGrant(context: SavedContext, words: readonly string[], own: SignInOptions): Promise<void> {
  for (const [name, flag] of Object.entries(BROWSER_ONLY))
    if (own[name as keyof typeof BROWSER_ONLY] !== undefined)
      throw new UsageError(`${flag} is for a sign-in with a browser; --grant needs none.`)
  const body = await grantOf(own, own.scope)
  const [{ at, name, url }] = await serverOf(context, words, [], 0)
  if (url === undefined) throw new UsageError(`${clean(name)} is a program; a sign-in is for servers over HTTP.`)
  const { text } = await storeGrant(context, { at, name, url }, body, own)
  if (own.json) return printReceived(text)
  say(`${clean(name)} gets its tokens without a person now.`)
  printText(recordLines(JSON.parse(text) as object).join('\n'))
}

/** @throws UsageError if an authorization server could not read the document (it needs https and a path) */
function requireDocumentUrl(text: string | undefined): void {
  if (text === undefined) return
  const url = URL.parse(text)
  if (url?.protocol === 'https:' && url.pathname !== '/') return
  throw new UsageError(`"${clean(text)}" cannot be a client document: give an https address with a path.`)
}

type Dance = Omit<SignInWishes, 'signal'> & { client: SignInClient; opens: boolean }

/** @throws Ended if it failed, after printing the reason */
async function dance(url: string, { client, opens, ...wishes }: Dance): Promise<ImportedTokens> {
  const { signal } = new AbortController()
  try {
    const plan = await createSignIns().plan(url, { ...wishes, signal })
    for (const { text } of signInLines(plan)) say(text)
    const isKnown = client.clientId !== undefined || (client.documentUrl !== undefined && plan.takesDocuments)
    if (!plan.registers && !isKnown)
      throw new SignInError(`${plan.host} does not register clients automatically.`, { wantsClient: true })
    const begun = await plan.begin(client, signal)
    const obstacle = opens ? await openInBrowser(begun.link, process.env) : ''
    if (obstacle === undefined) say('Opened the browser.')
    else say(`${obstacle}${obstacle && ' '}Open this in a browser:\n\n${begun.link}\n`)
    say('Waiting for the browser. If it runs on another machine, paste the address at which it ends:')
    begun.onRefused(why => say(`${clean(why)} Still waiting; Ctrl+C ends it.`))
    const lines = createInterface({ input: process.stdin, terminal: false })
    lines.on('line', line => {
      const problem = line.trim() === '' ? undefined : begun.take(line)
      if (problem !== undefined) say(clean(problem))
    })
    try {
      return await begun.tokens
    } finally {
      lines.close()
    }
  } catch (error) {
    if (!(error instanceof SignInError)) throw error
    say(`${clean(error.message)}${error.wantsClient ? ' --client-id takes the id of one that you registered.' : ''}`)
    throw new Ended(EXIT.noVerdict)
  }
}

/** Runs `mcpdeck sign-out`. */
export async function signOut(
  context: SavedContext,
  words: readonly string[],
  own: Json & WriteOptions,
): Promise<void> {
  const [{ at, name }] = await serverOf(context, words, [], 0)
  const { text, end } = await act(context, signOutAction, { of: { name }, input: at }, own)
  if (own.json) printReceived(text)
  else say(end)
}
