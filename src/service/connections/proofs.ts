import { createPrivateKey, createPublicKey, KeyObject } from 'node:crypto'
import type {
  AuthorizationServerMetadata,
  DpopKeyPair,
  DpopSession,
  FetchLike,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client'
import { PROOF_ALGORITHMS } from '../../api/contract/choices.ts'
import type { ProofKey } from '../../api/contract/sign-ins.ts'
import { loadLibrary, type AccessToken } from './types.ts'

type ProofAlgorithm = ProofKey['algorithm']

/** How the runtime names the keys of each algorithm. */
const KINDS: Readonly<Record<ProofAlgorithm, Parameters<KeyObject['toCryptoKey']>[0]>> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  EdDSA: { name: 'Ed25519' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
}

/** The proofs that a sign-in needs (RFC 9449). */
export type Proofs = {
  /** Undefined if no algorithm suits both servers and mcpdeck. */
  algorithm: ProofAlgorithm | undefined
  /** Whether the MCP server takes no bearer tokens. */
  areRequired: boolean
}

type Metadata = {
  authority: AuthorizationServerMetadata | undefined
  resource: OAuthProtectedResourceMetadata | undefined
  /** Schemes of the challenge of the MCP server, in lower case. */
  schemes: readonly string[]
}

/**
 * Returns the proofs that an MCP server asks for; undefined if it asks for none. An authorization server lists
 * algorithms for all of its resources, so its list alone says nothing about this one.
 */
export function askedProofs({ authority, resource, schemes }: Metadata): Proofs | undefined {
  const takesProofs = schemes.includes('dpop')
  const takesOnlyProofs = takesProofs && !schemes.includes('bearer')
  const areRequired = takesOnlyProofs || resource?.dpop_bound_access_tokens_required === true
  const ofServer = algorithmsIn(resource)
  if (!areRequired && !takesProofs && ofServer.length === 0) return undefined
  const lists = [ofServer, algorithmsIn(authority)].filter(({ length }) => length > 0)
  return { areRequired, algorithm: PROOF_ALGORITHMS.find(each => lists.every(list => list.includes(each))) }
}

function algorithmsIn(metadata: object | undefined): readonly unknown[] {
  const { dpop_signing_alg_values_supported: listed } = Object(metadata) as Record<string, unknown>
  return Array.isArray(listed) ? listed : []
}

/** Makes the error for a host that does not do what proofs need; `why` ends a sentence about it. */
type Refuse = (why: string) => Error

/**
 * Returns a key for the proofs of a sign-in, the one before if it still suits; undefined if it needs none.
 * @param server the host of the MCP server
 * @param refuse for proofs that are required and cannot be made
 */
export async function proofKeyFor(
  proofs: Proofs | undefined,
  { before, server, refuse }: { before?: ProofKey | undefined; server: string; refuse: Refuse },
): Promise<ProofKey | undefined> {
  const { algorithm, areRequired } = proofs ?? {}
  if (algorithm) {
    if (before?.algorithm === algorithm) return before
    const { privateKey } = await (await loadLibrary()).generateDpopKeyPair({ alg: algorithm, extractable: true })
    return { algorithm, privateKey: String(KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' })) }
  }
  if (areRequired)
    throw refuse(
      `and ${server} leave no algorithm for proofs of possession; mcpdeck signs with ${PROOF_ALGORITHMS.join(', ')}`,
    )
  return undefined
}

/**
 * Returns the key that a token is bound to; undefined if it is a bearer token.
 * @param refuse for a bearer token where proofs are required
 */
export function boundTo(
  tokenType: string,
  key: ProofKey | undefined,
  { areRequired, refuse }: { areRequired: boolean; refuse: Refuse },
): ProofKey | undefined {
  if (key && tokenType.toLowerCase() === 'dpop') return key
  if (key && areRequired)
    throw refuse('gave a bearer token, and the server takes only tokens with a proof of possession')
  return undefined
}

/** Beyond that the key that was not used for the longest time is forgotten; only its nonces are lost. */
const MOST_SESSIONS = 50

/** The sessions of this process by their private key: they remember the last nonce of each origin. */
const sessions = new Map<string, Promise<DpopSession>>()

/** Returns what signs the proofs of a key. Rejects if the key is none, or none of its algorithm. */
export async function proofSession({ algorithm, privateKey }: ProofKey): Promise<DpopSession> {
  const session = sessions.get(privateKey) ?? createSession(algorithm, privateKey)
  // Last, so that the first of the map is the one whose use is longest ago.
  sessions.delete(privateKey)
  sessions.set(privateKey, session)
  const [oldest] = sessions.keys()
  if (oldest !== undefined && sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  try {
    return await session
  } catch (error) {
    sessions.delete(privateKey)
    throw error
  }
}

async function createSession(alg: ProofAlgorithm, pem: string): Promise<DpopSession> {
  const { DpopSession } = await loadLibrary()
  const own = createPrivateKey(pem)
  const open = createPublicKey(own)
  const keyPair: DpopKeyPair = {
    alg,
    privateKey: own.toCryptoKey(KINDS[alg], false, ['sign']),
    publicKey: open.toCryptoKey(KINDS[alg], true, ['verify']),
    publicJwk: open.export({ format: 'jwk' }),
    // Only servers compare it.
    thumbprint: '',
  }
  return await DpopSession.create({ keyPair })
}

/**
 * Returns a fetch that sends a token: as a bearer token, or with a proof, and again if the server wants its own
 * nonce in the proof.
 * @param discard ends the first answer then
 */
export function sendWith(
  { value, proofKey }: AccessToken,
  send: FetchLike,
  discard = async (answer: Response) => await answer.body?.cancel(),
): FetchLike {
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `${proofKey ? 'DPoP' : 'Bearer'} ${value}`)
    if (!proofKey) return await send(input, { ...init, headers })
    const { isDpopNonceChallenge } = await loadLibrary()
    const session = await proofSession(proofKey)
    const proved = async (nonce?: string): Promise<Response> => {
      const proof = { htm: init?.method ?? 'GET', htu: input, accessToken: value, ...(nonce && { nonce }) }
      headers.set('dpop', await session.buildProof(proof))
      const answer = await send(input, { ...init, headers: new Headers(headers) })
      session.observeNonce(answer, input)
      return answer
    }
    const first = await proved()
    const nonce = first.headers.get('dpop-nonce')
    if (!isDpopNonceChallenge(first) || !nonce) return first
    await discard(first)
    // The nonce of this answer: another request may have brought one meanwhile, and may use it up.
    return await proved(nonce)
  }
}
