import type * as z from 'zod'
import type { ImportTokensRequest } from '../../api/contract/server-operations.ts'

/** Tokens as passed to the service, with the client they were granted to. */
export type ImportedTokens = z.infer<ReturnType<typeof ImportTokensRequest>>

/** Why a sign-in failed, as a sentence with what to do. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** Whether another client may work. */
  readonly wantsClient: boolean

  constructor(message: string, { wantsClient = false } = {}) {
    super(message)
    this.wantsClient = wantsClient
  }
}

/** The OAuth client that mcpdeck uses; without one, the authorization server registers one. */
export type SignInClient = {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Port of the callback address; any free port by default. */
  port?: number | undefined
}

/** Who a sign-in will ask, according to the metadata of the MCP server; nothing is opened or registered yet. */
export type SignInPlan = {
  serverUrl: string
  /** Host and port of the page for the browser. */
  host: string
  /** The requested scopes; empty if the authorization server chooses. */
  scopes: readonly string[]
  /** Whether it registers clients on request. */
  registers: boolean
  /** @throws SignInError */
  begin: (client: SignInClient, signal: AbortSignal) => Promise<SignIn>
}

/** A sign-in that waits for the person. */
export type SignIn = {
  /** The page for the browser. */
  link: string
  /** The address that the browser returns to. */
  callback: string
  /** Rejects with a {@link SignInError}. */
  tokens: Promise<ImportedTokens>
  /**
   * Called with the reason, as a sentence, when an answer at the callback is refused: it belongs to another sign-in or
   * authorization server, or says that access was denied. The sign-in continues to wait for the right one.
   */
  onRefused: (listener: (why: string) => void) => void
  /** Accepts the address where a browser ended; returns a text if it is not a valid one. */
  take: (address: string) => string | undefined
  /** Gives it up. */
  end: () => void
}

/** Signs in to MCP servers; `scopes` are those saved with the server. */
export type SignIns = {
  /** @throws SignInError */
  plan: (serverUrl: string, options: { scopes: readonly string[]; signal: AbortSignal }) => Promise<SignInPlan>
}

/** What a person confirms before a browser is opened. */
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
