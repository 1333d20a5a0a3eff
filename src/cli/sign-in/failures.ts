import { SignInError } from '../../domain/servers/sign-in.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { describeNetwork } from '../../service/connections/failures.ts'
import type { McpLibrary } from '../../service/connections/types.ts'
import { AddressRefused } from '../../service/connections/metadata-fetch.ts'
import { ServiceError } from '../../service/core/errors.ts'

/** The step of a sign-in that failed. */
export type Phase = 'discovery' | 'registration' | 'exchange'

/** Maximum length of a quoted text of an authorization server. */
const MOST_TEXT = 200
/** Meaning of the error codes of an authorization server (RFC 6749, sections 4.1.2.1 and 5.2). */
const BY_CODE: Readonly<Record<string, (host: string) => string>> = {
  access_denied: host => `${host} says that access was denied. Nothing was imported.`,
  invalid_grant: host => `${host} does not take the code: it expired, or was used before. Begin again.`,
  invalid_client: host => `${host} does not know this client, or its secret is wrong.`,
  unauthorized_client: host => `${host} does not let this client sign in so.`,
  invalid_dpop_proof: host => `${host} does not take the proof of possession; the clocks may differ.`,
  invalid_scope: host => `${host} does not know what was asked for: check the scopes of the server.`,
  invalid_target: host => `${host} grants nothing for the address of this server.`,
  temporarily_unavailable: host => `${host} is busy. Try again later.`,
}
const CLIENT_CODES = new Set(['invalid_client', 'unauthorized_client'])
const NOT_UNDERSTOOD: Readonly<Record<Phase, string>> = {
  discovery: 'published metadata that is none of OAuth. mcpdeck does not sign in there.',
  registration: 'did not answer the registration with a client.',
  exchange: 'answered the code with no token. Begin again.',
}

/** Returns a sentence for an error in requests to this host. */
export function signInFailure(
  error: unknown,
  { library, host, phase }: { library: McpLibrary; host: string; phase: Phase },
): SignInError {
  if (error instanceof SignInError) return error
  const refused = error instanceof AddressRefused ? error : addressRefused(error)
  if (refused) return new SignInError(`${refused.message} Nothing was sent there.`)
  if (error instanceof library.IssuerMismatchError) return new SignInError(issuerSentence(error.kind, host))
  if (error instanceof library.InsecureTokenEndpointError)
    return new SignInError(`${host} names an address without encryption: ${error.tokenEndpoint}. Nothing was sent.`)
  if (error instanceof library.RegistrationRejectedError) {
    const reason = `${host} does not register mcpdeck (HTTP ${error.status}${quoted(errorCode(error.body))})`
    return new SignInError(`${reason}. Register a client there, and give its id.`, { wantsClient: true })
  }
  if (error instanceof library.OAuthError) return oauthFailure(error, host)
  if (error instanceof ServiceError) return new SignInError(error.message)
  const network = describeNetwork(error)
  if (network !== undefined) return new SignInError(`${host} ${network}.`)
  if (error instanceof Error && error.message.startsWith('answered more'))
    return new SignInError(`${host} ${error.message} mcpdeck does not sign in there.`)
  if (error instanceof SyntaxError || (error instanceof Error && error.name.endsWith('ZodError')))
    return new SignInError(`${host} ${NOT_UNDERSTOOD[phase]}`)
  return new SignInError(`The sign-in at ${host} failed: ${systemErrorReason(error)}.`)
}

function addressRefused(error: unknown): AddressRefused | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof AddressRefused ? cause : undefined
}

/** Says that the issuer is wrong; the text of a forged answer is not repeated. */
function issuerSentence(kind: 'metadata' | 'authorization_response', host: string): string {
  return kind === 'metadata'
    ? `${host} published the metadata of another authorization server. mcpdeck does not sign in there.`
    : 'Refused an answer from another authorization server than the one that was asked.'
}

function oauthFailure({ code, message }: { code: string; message: string }, host: string): SignInError {
  const sentence = Object.hasOwn(BY_CODE, code) ? BY_CODE[code]!(host) : undefined
  const text = message.trim() === '' || message === code ? '' : `: ${repeated(message)}`
  return new SignInError(sentence ?? `${host} refused${quoted(code)}${text}.`, { wantsClient: CLIENT_CODES.has(code) })
}

function errorCode(body: string): string {
  try {
    const { error } = Object(JSON.parse(body)) as { error?: unknown }
    return typeof error === 'string' ? error : ''
  } catch {
    return ''
  }
}

function quoted(code: string): string {
  return code === '' ? '' : `, ${repeated(code)}`
}

function repeated(text: string): string {
  return withoutSecrets(text).replace(/\.$/, '').slice(0, MOST_TEXT)
}
