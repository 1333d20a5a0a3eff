import { createHash, createPublicKey, verify } from 'node:crypto'

type Wanted = { at: string; nonce: string | undefined; token?: string }
type Checked = { thumbprint: string } | { refusal: string; headers: Record<string, string> }

export type ProofCheck = ReturnType<typeof createProofCheck>

const ALLOWED_S = 60

/** Checks proofs of possession as servers do (RFC 9449, 4.3), of the algorithm ES256. */
export function createProofCheck(nonces: { token?: string; mcp?: string } = {}) {
  const used = new Set<string>()
  /** Thumbprints of the keys that tokens are bound to. */
  const keys = new Map<string, string>()
  const refusals: string[] = []
  /** Returns why a proof is invalid, and the thumbprint of its key. */
  const judge = (request: Request, { at, token }: Wanted) => {
    const proof = request.headers.get('dpop') ?? ''
    const [head = '', claims = '', signature = ''] = proof.split('.')
    const part = (text: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(text, 'base64url').toString() || '{}') as Record<string, unknown>
    const { typ, alg, jwk } = part(head)
    const { jti, htm, htu, iat, ath, nonce } = part(claims)
    if (typ !== 'dpop+jwt' || alg !== 'ES256' || Object(jwk).d !== undefined) return { why: 'header' }
    const { crv, kty, x, y } = jwk as Record<string, string>
    const key = createPublicKey({ key: { crv, kty, x, y }, format: 'jwk' })
    const signed = Buffer.from(`${head}.${claims}`)
    if (!verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
      return { why: 'signature' }
    if (htm !== request.method || htu !== at) return { why: 'target' }
    if (Math.abs(Number(iat) - Date.now() / 1000) > ALLOWED_S) return { why: 'time' }
    if (typeof jti !== 'string' || used.has(jti)) return { why: 'repeated' }
    used.add(jti)
    const thumbprint = hashOf(JSON.stringify({ crv, kty, x, y }))
    if (token === undefined ? ath !== undefined : ath !== hashOf(token) || keys.get(token) !== thumbprint)
      return { why: 'token' }
    return { thumbprint, nonce }
  }
  return {
    nonces,
    keys,
    /** What was wrong with each refused proof. */
    refusals,
    check(request: Request, wanted: Wanted): Checked {
      const { why, thumbprint = '', nonce } = judge(request, wanted)
      if (why !== undefined) {
        refusals.push(why)
        return { refusal: 'invalid_dpop_proof', headers: {} }
      }
      if (nonce === wanted.nonce) return { thumbprint }
      refusals.push('nonce')
      return { refusal: 'use_dpop_nonce', headers: { 'dpop-nonce': wanted.nonce ?? '' } }
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
