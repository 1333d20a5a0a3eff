import type * as z from 'zod'
import type { ImportTokensRequest } from '../../api/contract/server-operations.ts'

/** Tokens as they are handed over to the service, with the client that they were granted to. */
export type ImportedTokens = z.infer<ReturnType<typeof ImportTokensRequest>>

/** Why a sign-in cannot go on, as a sentence with what to do. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** Another client may be taken. */
  readonly wantsClient: boolean

  constructor(message: string, { wantsClient = false } = {}) {
    super(message)
    this.wantsClient = wantsClient
  }
}

/** The client as whom mcpdeck asks; without one the authorization server makes one. */
export type SignInClient = {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Where the browser comes back to; any free port by default. */
  port?: number | undefined
}

/** Whom a sign-in asks, as the metadata of the MCP server says; nothing was opened or registered yet. */
export type SignInPlan = {
  serverUrl: string
  /** Host of the page for the browser, with its port. */
  host: string
  /** What is asked for; empty where the authorization server chooses. */
  scopes: readonly string[]
  /** Whether it makes clients for who asks. */
  registers: boolean
  /** @throws SignInError */
  begin: (client: SignInClient, signal: AbortSignal) => Promise<SignIn>
}

/** A sign-in that waits for its person. */
export type SignIn = {
  /** The page for the browser. */
  link: string
  /** Where the browser comes back to. */
  callback: string
  /** Rejects with a {@link SignInError}. */
  tokens: Promise<ImportedTokens>
  /**
   * Called with the reason, as a sentence, when an answer at the callback is refused: it belongs to another sign-in or
   * another authorization server, or says that access was denied. The sign-in stays open for the right one.
   */
  onRefused: (listener: (why: string) => void) => void
  /** Takes the address that a browser ended at; a text says why it is none. */
  take: (address: string) => string | undefined
  /** Gives it up. */
  end: () => void
}

/** Signs in to MCP servers; `scopes` are those that are saved with the server. */
export type SignIns = {
  /** @throws SignInError */
  plan: (serverUrl: string, options: { scopes: readonly string[]; signal: AbortSignal }) => Promise<SignInPlan>
}

/** What a person agrees to before a browser is opened. */
export function signInLines({ serverUrl, host, scopes }: SignInPlan): { text: string; tone: 'plain' | 'warn' }[] {
  const own = new URL(serverUrl).host
  return [
    { text: `You sign in at ${host}, and let mcpdeck use ${serverUrl} for you.`, tone: 'plain' },
    ...(host === own
      ? []
      : [{ text: `${host} is another host than the server’s; ${own} names it.`, tone: 'warn' as const }]),
    {
      text: scopes.length > 0 ? `It asks for: ${scopes.join(' ')}.` : `${host} chooses what is allowed.`,
      tone: 'plain',
    },
  ]
}
