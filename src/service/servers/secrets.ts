import { settingSecrets } from '../connections/setting-secrets.ts'
import { defined } from '../../lib/json.ts'
import type { ServerRow } from './rows.ts'

/** What nobody shall find in what a server was sent and answered. */
export function secretsOf({ secrets: { env, headers, clientSecret = '' }, url, tokens }: ServerRow): string[] {
  const { accessToken = '', refreshToken = '' } = tokens ?? {}
  return settingSecrets(defined({ env, headers, url }), clientSecret, accessToken, refreshToken)
}

/** Names of settings whose value lets somebody in. */
const CREDENTIAL = /key|token|secret|pass|pwd|credential|auth|cookie|session|dsn|webhook|_ur[il]$/i

/** Those of them that let somebody in, by what they are called: other settings may be what answers are about. */
export function credentialsOf(row: ServerRow): string[] {
  const credentials = (settings: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => CREDENTIAL.test(name)))
  const { env, headers } = row.secrets
  return secretsOf({ ...row, secrets: { ...row.secrets, env: credentials(env), headers: credentials(headers) } })
}
