/** Scenarios that do not pass, in all versions of the suite or in the one that is named first, and why. */
const allowed: Readonly<Record<string, string>> = {
  '0.1.16 auth/2025-03-26-oauth-metadata-backcompat':
    'the metadata of its server name another issuer, which is refused; version 0.2.0 of the suite corrects them',
  ...reason('proofs of possession (DPoP) are not there', ['auth/dpop', 'auth/dpop-nonce']),
}

function reason(why: string, scenarios: readonly string[]): Record<string, string> {
  return Object.fromEntries(scenarios.map(scenario => [scenario, why]))
}

/** Returns why a scenario may fail; undefined if it may not. */
export function reasonFor(version: string, scenario: string): string | undefined {
  return allowed[`${version} ${scenario}`] ?? allowed[scenario]
}
