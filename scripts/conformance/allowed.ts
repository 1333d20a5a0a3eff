/** Scenarios that do not pass, by the version of the suite and their name, and why. */
const allowed: Readonly<Record<string, string>> = {
  '0.1.16 auth/2025-03-26-oauth-metadata-backcompat':
    'the metadata of its server name another issuer, which is refused; version 0.2.0 of the suite corrects them',
}

/** Returns why a scenario may fail; undefined if it may not. */
export function reasonFor(version: string, scenario: string): string | undefined {
  return allowed[`${version} ${scenario}`]
}
