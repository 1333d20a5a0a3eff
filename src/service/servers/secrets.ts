import { settingCredentials, settingSecrets } from '../connections/setting-secrets.ts'
import { defined } from '../../lib/json.ts'
import type { ServerRow } from './rows.ts'

/** What nobody shall find in what a server was sent and answered. */
export function secretsOf(row: ServerRow): string[] {
  return settingSecrets(...settingsOf(row))
}

/** Those of them that let somebody in. */
export function credentialsOf(row: ServerRow): string[] {
  return settingCredentials(...settingsOf(row))
}

function settingsOf({ secrets: { env, headers, clientSecret = '' }, url, tokens }: ServerRow) {
  const { accessToken = '', refreshToken = '' } = tokens ?? {}
  return [defined({ env, headers, url }), clientSecret, accessToken, refreshToken] as const
}
