import { secretsOfUrl } from '../core/urls.ts'

type Settings = { env?: Record<string, string>; headers?: Record<string, string>; url?: string }

/** Minimum length of a setting's value that counts as a secret. Shorter values are treated as ordinary words. */
const LEAST_SECRET = 8

/**
 * Returns the secrets among a server's settings: the values of variables and headers, the part of a header after its
 * scheme, the secrets in the address, and `others`. Values shorter than {@link LEAST_SECRET} are left out.
 */
export function settingSecrets({ env = {}, headers = {}, url = '' }: Settings, ...others: string[]): string[] {
  const sent = Object.values(headers).flatMap(value => [value, /^\S+ (\S+)$/.exec(value)?.[1] ?? ''])
  const all = [...Object.values(env), ...sent, ...secretsOfUrl(url), ...others]
  return all.filter(({ length }) => length >= LEAST_SECRET)
}

/** Names of settings whose values are credentials. */
const CREDENTIAL = /key|token|secret|pass|pwd|credential|auth|cookie|session|dsn|webhook|_ur[il]$/i

/**
 * Returns the secrets of variables and headers whose names are those of credentials, the secrets in the address, and
 * `others`. Values of other variables and headers may occur in answers for good reasons.
 */
export function settingCredentials({ env = {}, headers = {}, ...settings }: Settings, ...others: string[]): string[] {
  const credentials = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => CREDENTIAL.test(name)))
  return settingSecrets({ ...settings, env: credentials(env), headers: credentials(headers) }, ...others)
}
