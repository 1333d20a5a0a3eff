import type * as z from 'zod'
import { contract } from '../../api/contract/contract.ts'
import type { ImportTokensRequest } from '../../api/contract/server-operations.ts'
import type { ProofKey } from '../../api/contract/sign-ins.ts'

/** Tokens in the form that the service receives, with the client they were issued to, and their key if bound to one. */
export type ImportedTokens = z.infer<ReturnType<typeof ImportTokensRequest>> & { proofKey?: ProofKey }

/** Thrown if a sign-in failed. The message is a sentence with what to do. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  /** Whether the sign-in may work with another client. */
  readonly wantsClient: boolean

  constructor(message: string, { wantsClient = false } = {}) {
    super(message)
    this.wantsClient = wantsClient
  }
}

/** The OAuth client that mcpdeck uses. Without one, the authorization server registers one. */
export type SignInClient = {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Address of a document that describes the client, which is its id where that is supported. */
  documentUrl?: string | undefined
  /** Port of the callback address. Default: any free port. */
  port?: number | undefined
}

/** The target of a sign-in, according to the metadata of the MCP server. Nothing is opened or registered yet. */
export type SignInPlan = {
  serverUrl: string
  /** Host and port of the page for the browser. */
  host: string
  /** The requested scopes; empty if the authorization server chooses. */
  scopes: readonly string[]
  /** Whether the authorization server registers clients on request. */
  registers: boolean
  /** Whether the authorization server takes the address of a document as a client. */
  takesDocuments: boolean
  /** Whether the server publishes no metadata, so that the addresses of the first protocol are assumed. */
  isGuessed: boolean
  /** @throws SignInError */
  begin: (client: SignInClient, signal: AbortSignal) => Promise<SignIn>
}

/** A sign-in that waits for the person. */
export type SignIn = {
  /** The page to open in the browser. */
  link: string
  /** The address that the browser returns to. */
  callback: string
  /** Rejects with a {@link SignInError}. */
  tokens: Promise<ImportedTokens>
  /**
   * Called with the reason, as a sentence, if an answer at the callback is refused: it belongs to another sign-in or
   * authorization server, or says that access was denied. The sign-in continues to wait for the right one.
   */
  onRefused: (listener: (why: string) => void) => void
  /** Accepts the address where a browser ended. Returns a text if it is not a valid one. */
  take: (address: string) => string | undefined
  /** Cancels the sign-in. */
  end: () => void
}

/** Returns the operation that stores tokens: only a local workspace keeps keys, in one of its own. */
export function storing({ proofKey }: ImportedTokens) {
  return proofKey ? contract.signIns.keep : contract.servers.importTokens
}

/** What a sign-in depends on. `scopes` are those saved with the server. */
export type SignInWishes = { scopes: readonly string[]; keepsKeys: boolean; signal: AbortSignal }

/** Signs in to MCP servers. */
export type SignIns = {
  /** @throws SignInError */
  plan: (serverUrl: string, wishes: SignInWishes) => Promise<SignInPlan>
}

/** Returns what a person confirms before a browser is opened. */
export function signInLines({
  serverUrl,
  host,
  scopes,
  isGuessed,
}: SignInPlan): { text: string; tone: 'plain' | 'warn' }[] {
  const own = new URL(serverUrl).host
  return [
    { text: `You sign in at ${host}, and let mcpdeck use ${serverUrl} for you.`, tone: 'plain' },
    ...(host === own
      ? []
      : [{ text: `${host} is another host than the server’s; ${own} names it.`, tone: 'warn' as const }]),
    ...(isGuessed
      ? [{ text: `${host} publishes no metadata; mcpdeck uses the paths of MCP 2025-03-26.`, tone: 'warn' as const }]
      : []),
    {
      text: scopes.length > 0 ? `It asks for: ${scopes.join(' ')}.` : `${host} chooses what is allowed.`,
      tone: 'plain',
    },
  ]
}
