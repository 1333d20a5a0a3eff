/** Segments of paths that were renamed, with what they are called since. */
const RENAMED: readonly (readonly [former: RegExp, successor: string])[] = [
  [/\/hosts(?=\/|$)/, '/clients'],
  [/(?:\/user-testing)?\/scenarios(?=\/|$)/, '/studies'],
  [/\/scenario$/, '/study'],
]

const PARAMETERS: Readonly<Record<string, string>> = { '{hostId}': '{client}', '{scenarioId}': '{studyId}' }

/**
 * The path that replaces a deprecated one, with its parameters as a template; undefined for a path that is not
 * deprecated. Deprecated paths keep their bodies and answers (service-api, "Versioning"; newer, section 2).
 */
export function successorOf(path: string): string | undefined {
  const renamed = RENAMED.find(([former]) => former.test(path))
  if (!renamed) return undefined
  const named = path.replace(...renamed)
  return named.replace(/\{(?:hostId|scenarioId)\}/, parameter => PARAMETERS[parameter]!)
}
